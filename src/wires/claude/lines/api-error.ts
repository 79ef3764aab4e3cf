/** Whether a text reports that a request to the model failed. Older versions mark such a message with nothing else. */
export function isApiErrorText(text = ''): boolean {
  return /^API Error(?::| \(|$)/.test(text)
}
