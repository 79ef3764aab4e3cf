/** A model without tools writes this at the end of its response to end the conversation. */
export const END_SIGNAL = '<end_conversation/>'

/** Returns the response without an end signal at its end, and whether it had one. Append the message first, then end the conversation. */
export function readEndSignal(response: string): { readonly content: string; readonly isEnd: boolean } {
  const content = response.trimEnd()
  if (!content.endsWith(END_SIGNAL)) return { content: response, isEnd: false }
  return { content: content.slice(0, -END_SIGNAL.length).trimEnd(), isEnd: true }
}
