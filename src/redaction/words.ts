import { KEY, SECRET } from './marks.ts'
import type { Redact } from './options.ts'

/** The words before a word that say whether it is a secret. */
const BEFORE = 8

/** A longer word is no argument that only the words before it explain. In UTF-16 units. */
const MAX_WORD = 1_000

/** A shorter word is no line of a key. */
const MIN_KEY_LINE = 16

/** Redacts a list of texts, which may be the arguments of a command: `["mysql", "-p", "x"]`, or a name and its value. */
export function redactWords(words: readonly string[], redact: Redact): readonly string[] {
  const joined = words.some((word) => word.includes('KEY-----')) ? redact(words.join(' ')) : undefined
  return words.map((word, at) => {
    const shown = redact(word)
    // A shell makes several words of `-----END PRIVATE KEY-----`.
    if (joined !== undefined && shown.length >= MIN_KEY_LINE && !joined.includes(shown)) return KEY
    const [last] = words.slice(Math.max(0, at - 1), at)
    if (last === undefined || word === '' || word.length > MAX_WORD) return shown
    const first = at > BEFORE ? words.slice(0, 2) : []
    const before = [...first, ...words.slice(Math.max(0, at - BEFORE), at)].map(clipped).join(' ')
    const hidden = hiddenAfter(`${before} `, { word, shown, redact })
    if (hidden !== undefined) return hidden
    return isPlainName(word) || !/\w$/.test(last)
      ? shown
      : (hiddenAfter(`${clipped(last)}=`, { word, shown, redact }) ?? shown)
  })
}

function clipped(word: string): string {
  return word.slice(-100)
}

/** Two names beside each other are no pair, as in `["token", "password"]`. */
function isPlainName(word: string): boolean {
  return /^[A-Za-z_-]*$/.test(word)
}

/** Returns what is shown of a word after the words before it, or undefined if they say nothing. */
function hiddenAfter(
  before: string,
  { word, shown, redact }: { readonly word: string; readonly shown: string; readonly redact: Redact },
): string | undefined {
  const inContext = redact(before + word)
  if (inContext.endsWith(shown) || inContext.endsWith(word)) return undefined
  return inContext.startsWith(before) ? inContext.slice(before.length) : SECRET
}

const TEXT = String.raw`\\{0,15}"[^"\n[]{0,500}"\s{0,100}`
const BEGINNING = String.raw`\[\s{0,100}(?:${TEXT},\s{0,100})`

/** A list of texts in JSON, also in JSON in JSON. A list in a list is a match of its own. */
const LIST = new RegExp(`${BEGINNING}{1,60}${TEXT}\\]`, 'g')

/** The beginning of a list up to the end of the text. */
const OPEN_LIST = new RegExp(`${BEGINNING}{0,60}(?:${TEXT})?$`, 'y')

/** Returns where the list begins that goes on after the text, or the length of the text. */
export function startOfOpenList(text: string): number {
  OPEN_LIST.lastIndex = Math.max(0, text.lastIndexOf('['))
  const start = OPEN_LIST.lastIndex
  return OPEN_LIST.test(text) ? start : text.length
}

const ITEM = /(\\{0,15}")([^"\n[]{0,500}?)(\\{0,15}")/g

/** Redacts the lists of arguments in a text. */
export function redactLists(text: string, redact: Redact): string {
  return text.replace(LIST, (list) => {
    const items = [...list.matchAll(ITEM)].map(([, , word = '']) => word)
    const shown = redactWords(items, redact)
    let at = -1
    return list.replace(ITEM, (_, open: string, word: string, close: string) => {
      at += 1
      return open + (shown[at] ?? word) + close
    })
  })
}
