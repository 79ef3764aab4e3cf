/** The text that a person searches for. */
export interface SearchPattern {
  /** Finds the text in another one. White space matches any white space. Capitals count only if the text has some. */
  readonly find: Find
  /** The longest part of the text that no program escapes in JSON, or the beginning of it. Empty if it has none. */
  readonly rawPart: string
  readonly isExact: boolean
  /** The words, in which white space is left out. */
  readonly words: readonly string[]
}

/** Returns the first place of a text in another one. */
export type Find = (text: string) => { readonly start: number; readonly end: number } | undefined

/** Returns the pattern of a text. */
export function searchPattern(text: string): SearchPattern {
  const isExact = /\p{Lu}/u.test(text)
  const words = text.trim().split(/\s+/)
  // A letter outside ASCII, a quote or a slash may be escaped in the file.
  const parts = text.match(/[A-Za-z0-9_.,:;-]+/g) ?? []
  const rawPart = parts.reduce((longest, part) => (part.length > longest.length ? part : longest), '')
  return { find: finder(words, isExact ? 'u' : 'iu'), rawPart: rawPart.slice(0, 200), isExact, words }
}

/**
 * Returns what finds words with white space between them. The expression of a long text would overflow the stack of the
 * engine. So each part of it has its own, which goes on where the one before ends.
 */
function finder(words: readonly string[], flags: string): Find {
  const [first = '', ...others] = words.join(' ').match(/.{1,500}/gsu) ?? []
  const [start, ...rest] = [
    new RegExp(sourceOf(first), `g${flags}`),
    ...others.map((part) => new RegExp(sourceOf(part), `y${flags}`)),
  ]
  return (text) => {
    for (start.lastIndex = 0; ; ) {
      const found = start.exec(text)
      if (!found) return undefined
      let end = start.lastIndex
      const isWhole = rest.every((part) => {
        part.lastIndex = end
        const isNext = part.test(text)
        end = part.lastIndex
        return isNext
      })
      if (isWhole) return { start: found.index, end }
      // From within a character, the engine would go back to its start.
      start.lastIndex = found.index + ((text.codePointAt(found.index) ?? 0) > 0xffff ? 2 : 1)
    }
  }
}

function sourceOf(part: string): string {
  return part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replaceAll(' ', '\\s+')
}

/** Returns the pattern of a text; undefined if the text is blank, and only a filter decides. */
export function optionalPattern(text: string): SearchPattern | undefined {
  return text.trim() === '' ? undefined : searchPattern(text)
}

/**
 * Returns what finds the raw part in JSON, also in bytes that are read as one letter each. It searches nearly as fast as for
 * one spelling, and needs no copy in lower case.
 */
export function rawExpression({ rawPart, isExact }: Pick<SearchPattern, 'rawPart' | 'isExact'>): RegExp {
  const source = rawPart.replaceAll('.', '\\.')
  if (isExact) return new RegExp(source)
  return new RegExp(
    source.replace(/k/gi, spellings('k', '\u212a')).replace(/s/gi, spellings('s', '\u017f')),
    'i',
  )
}

/** A pattern without case takes the Kelvin sign for a k, and the long s for an s. Returns a letter, that sign, its bytes and its escape. */
function spellings(letter: string, sign: string): string {
  const bytes = String.fromCharCode(...new TextEncoder().encode(sign))
  return `(?:${letter}|${sign}|${bytes}|\\\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')})`
}

/** The longest spelling of a letter, in characters. */
export const LONGEST_SPELLING: number = '\\u017f'.length
