"use strict";
const pauseMs = Number(document.body.dataset.intervalMs);
async function refresh() {
  try {
    const answer = await fetch(location.href, {cache: "no-store"});
    if (!answer.ok) throw new Error(answer.statusText);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    document.title = page.title;
    for (const id of ["head", "state"]) document.getElementById(id).replaceWith(page.getElementById(id));
  } catch {
    if (!document.getElementById("state").dataset.final) document.getElementById("stale").hidden = false;
  }
  setTimeout(refresh, pauseMs);
}
setTimeout(refresh, pauseMs);
