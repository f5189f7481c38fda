/** Runs in a browser, on a page of another origin than its collectors': #open=URL&closed=URL&away=URL. Posts what it found to its own server. */

import { Device, IndexedMemory, enrol } from "/client/index.js";

const asked = new URLSearchParams(location.hash.slice(1));
const tell = (found) => fetch("/found", { method: "POST", body: JSON.stringify(found) });

async function tried(url, name) {
  const memory = new IndexedMemory(name);
  try {
    const { user, token } = await enrol(url, memory);
    const device = await Device.connect(url, { user, token, memory });
    await device.report("people", { age: 31, income: 40 });
    const { counted, waiting } = await device.send();
    return { counted, waiting };
  } catch (error) {
    return { name: error.name, status: error.status ?? null, message: error.message };
  }
}

/** A page that is left before it has sent its report. */
async function left(url) {
  const memory = new IndexedMemory("left");
  const { user, token } = await enrol(url, memory);
  const device = await Device.connect(url, { user, token, memory });
  await device.report("people", { age: 52, income: 60 });
  addEventListener("pagehide", () => device.leave());
  await tell({ ready: true });
  location.href = "/page/left.html";
}

const phase = asked.get("phase");
if (phase === "leave") await left(asked.get("open"));
else await tell({ open: await tried(asked.get("open"), "open"), closed: await tried(asked.get("closed"), "closed"), away: await tried(asked.get("away"), "away") });
