/** Requests to the server that this page came from; the analyst's token goes with each, and is kept as long as the tab. */

const KEY = "untold-analyst-token";

/** Why there is no answer: `code`, `message`, `hint`, and `start` and `end` of the refused part where they are known. */
export class Fault extends Error {
  constructor(status, body) {
    super(body.message ?? "The server did not answer as expected.");
    Object.assign(this, { status, code: body.error ?? "unknown", hint: body.hint ?? "", start: body.start, end: body.end });
  }
}

export const token = {
  get: () => sessionStorage.getItem(KEY) ?? "",
  set: (value) => sessionStorage.setItem(KEY, value.trim()),
  clear: () => sessionStorage.removeItem(KEY),
};

/** A token after the # of the address is taken, and removed from the address: it was never sent anywhere. */
export function takeToken() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const given = parts.get("token");
  if (given) {
    token.set(given);
    parts.delete("token");
    history.replaceState(null, "", `${location.pathname}${parts.size ? `#${parts}` : ""}`);
  }
}

/** The response to a request, or a Fault. A server that is busy is asked again, a few times. */
export async function send(path, body, signal, tries = 4) {
  const response = await fetched(path, body, signal);
  if (response.ok) return response;
  if (response.status === 503 && tries > 1) {
    await new Promise((resolve) => setTimeout(resolve, 1000 * Number(response.headers.get("Retry-After") ?? 1)));
    return send(path, body, signal, tries - 1);
  }
  throw new Fault(response.status, await response.json().catch(() => ({})));
}

async function fetched(path, body, signal) {
  const headers = { Authorization: `Bearer ${token.get()}` };
  if (body) headers["Content-Type"] = "application/json";
  try {
    return await fetch(path, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body), signal, cache: "no-store" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Fault(0, { error: "offline", message: "The server cannot be reached.", hint: "Is it running? Try again." });
  }
}

export const ask = async (path, body, signal) => (await send(path, body, signal)).json();
