/** Returns the text for HTML: no character of it is markup. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/**
 * Returns one line of text for Markdown: no character of it is markup. An underscore within a word is none, and so is the
 * tilde of a path.
 */
export function escapeMarkdown(text: string): string {
  // An address takes a backslash with it, and a bracket after it would be live.
  const safe = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return safe.replace(/[\\`*[\]|!]|(?<!&)#|~(?!\/)|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, '\\$&')
}

/** Returns one line of text as code within a line. */
export function inlineCode(text: string): string {
  if (text.trim() === '') return ''
  const marks = '`'.repeat(longestRun(text) + 1)
  const space =
    text.startsWith('`') || text.endsWith('`') || (text.startsWith(' ') && text.endsWith(' ')) ? ' ' : ''
  return `${marks}${space}${text}${space}${marks}`
}

/** Returns the text as a block of code. The fence is longer than any in the text, so the text cannot end it. */
export function fence(text: string, language: string): string {
  const marks = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return `${marks}${language}\n${text}\n${marks}`
}

/** Returns the length of the longest run of backticks. */
function longestRun(text: string): number {
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return longest
}
