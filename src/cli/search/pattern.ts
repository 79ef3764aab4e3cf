/** The text that a person searches for. */
export interface SearchPattern {
  /** Finds the text. White space matches any white space. Capitals count only if the text has some. */
  readonly expression: RegExp
  /** The longest part of the text that no program escapes in JSON. Empty if it has none. */
  readonly rawPart: string
  readonly isExact: boolean
}

/** Returns the pattern of a text. */
export function searchPattern(text: string): SearchPattern {
  const isExact = /\p{Lu}/u.test(text)
  const words = text.trim().split(/\s+/)
  const source = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('\\s+')
  // A letter outside ASCII, a quote or a slash may be escaped in the file.
  const parts = text.match(/[A-Za-z0-9_.,:;-]+/g) ?? []
  const rawPart = parts.reduce((longest, part) => (part.length > longest.length ? part : longest), '')
  return { expression: new RegExp(source, isExact ? 'u' : 'iu'), rawPart, isExact }
}
