"""Faults of a page's layout, computed from its boxes in a browser."""

from typing import Any

from support.browser import Tab

_FAULTS = """(() => {
  const faults = [];
  const say = (kind, node, more = "") => {
    const words = (node.nodeType === Node.TEXT_NODE ? node.nodeValue : node.textContent).trim().replace(/\\s+/g, " ");
    const place = (node.nodeType === Node.TEXT_NODE ? node.parentElement : node).closest("[id]");
    faults.push(`${kind}: ${place ? place.id : "-"}: ${words.slice(0, 60)}${more}`);
  };
  document.querySelectorAll("details").forEach((one) => { one.open = true; });
  const right = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > right + 1) faults.push(`page: wider than ${right}`);

  const scrolls = (one) => ["auto", "scroll"].includes(getComputedStyle(one).overflowX);
  const inScroller = (node) => {
    for (let one = node.parentElement; one; one = one.parentElement) if (scrolls(one)) return one;
    return null;
  };
  for (const one of document.querySelectorAll("body *")) {
    if (one.closest("svg")) continue;
    const style = getComputedStyle(one);
    if (style.display === "none" || style.visibility === "hidden") continue;
    const wide = one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0 && style.display !== "inline";
    if (wide && ["hidden", "clip"].includes(style.overflowX)) say("clipped", one);
    if (wide && scrolls(one)) say("scrolls", one, ` ${one.scrollWidth} > ${one.clientWidth}`);
  }

  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.nodeValue.trim() || parent.closest("svg, script, style, select, .skip, [hidden]")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      if (box.width < 1 || box.height < 1) continue;
      if (!inScroller(node) && (box.right > right + 1 || box.left < -1)) say("outside", node);
      texts.push({node, box});
    }
  }
  const overlapping = (boxes, slack, kind) => {
    boxes.sort((a, b) => a.box.top - b.box.top);
    for (let i = 0; i < boxes.length; i++) {
      const a = boxes[i];
      for (let k = i + 1; k < boxes.length && boxes[k].box.top < a.box.bottom - slack; k++) {
        const b = boxes[k];
        if (a.node === b.node) continue;
        const width = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
        const height = Math.min(a.box.bottom, b.box.bottom) - b.box.top;
        if (width > slack && height > slack) say(kind, a.node, ` | ${b.node.textContent.trim().slice(0, 60)}`);
      }
    }
  };
  overlapping(texts, 3, "overlap");

  for (const svg of document.querySelectorAll("figure svg")) {
    const frame = svg.getBoundingClientRect();
    const scale = frame.width / svg.viewBox.baseVal.width;
    const boxes = [];
    for (const text of svg.querySelectorAll("text")) {
      if (!text.textContent.trim()) continue;
      const box = text.getBoundingClientRect();
      const slack = 0.3 * Math.min(box.width, box.height);  // room of the font above and below its letters
      const within = box.left > frame.left - slack && box.right < frame.right + slack;
      if (!within || box.top < frame.top - slack || box.bottom > frame.bottom + slack) say("outside figure", text);
      boxes.push({node: text, box});
    }
    overlapping(boxes, Math.max(1.5, 2.5 * scale), "overlap in figure");
    for (const axis of svg.querySelectorAll('g[id*="matplotlib.axis_"]')) {
      const ticks = [...axis.querySelectorAll('g[id*="tick_"] text')];
      const labels = ticks.map((one) => one.textContent.trim()).filter(Boolean);
      const repeated = labels.filter((label, at) => /^-?[0-9.]/.test(label) && labels.indexOf(label) !== at);
      if (repeated.length) faults.push(`repeated ticks: ${axis.id}: ${repeated[0]}`);
    }
  }
  return [...new Set(faults)];
})()"""


def faults_of(tab: Tab) -> list[str]:
    """Each fault of the open page as a line, with its details opened.

    `page`: wider than the window; `clipped`, `outside`: text out of reach; `scrolls`: only in reach by scrolling;
    `overlap`: two texts; `outside figure`, `overlap in figure`: texts of figures; `repeated ticks`: of one axis.
    """
    found: Any = tab.value(_FAULTS)
    return list(map(str, found))
