/**
 * Returns the text that completes a streamed JSON text to the value of `whole`, or undefined if it cannot. `whole` has no spaces between its
 * tokens, and the streamed text may have them.
 */
export function restOfJson(streamed: string, whole: string): string | undefined {
  let [at, isInText, isEscaped] = [0, false, false]
  for (const unit of streamed.split('')) {
    if (!isInText && /\s/.test(unit)) continue
    if (unit !== whole[at]) return undefined
    at += 1
    if (isEscaped) isEscaped = false
    else if (unit === '\\') isEscaped = true
    else if (unit === '"') isInText = !isInText
  }
  return whole.slice(at)
}
