/** What a model writes at the end of its response to end the conversation, where it has no tools. */
export const END_SIGNAL = '<end_conversation/>'

/** Returns a response without the signal at its end, and whether it was there. Append the message, then end the conversation. */
export function readEndSignal(response: string): { readonly content: string; readonly isEnd: boolean } {
  const content = response.trimEnd()
  if (!content.endsWith(END_SIGNAL)) return { content: response, isEnd: false }
  return { content: content.slice(0, -END_SIGNAL.length).trimEnd(), isEnd: true }
}
