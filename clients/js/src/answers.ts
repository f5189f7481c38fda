/** Answers of a collector, read up to a bound: whoever answers in its place cannot fill a device's memory. */

export const LONGEST_ANSWER = 64 * 1024 * 1024; // bytes; a plan is far shorter
export const LONGEST_WORD = 1024 * 1024; // bytes of an acknowledgement

/** The text of an answer; an error if it is longer than that. */
export async function textOf(answer: Response, most: number): Promise<string> {
  if (answer.body === null) return "";
  const reader = answer.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > most) {
      await reader.cancel().catch(() => undefined);
      throw new RangeError(`an answer of more than ${most} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** The value of an answer in JSON; null if it is none, or too long. */
export async function jsonOf(answer: Response, most: number): Promise<unknown> {
  try {
    return JSON.parse(await textOf(answer, most)) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return null;
    throw error;
  }
}
