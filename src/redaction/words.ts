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

/** `The password is x`, `password: use x`. The value is no word, because the next word of most sentences is no secret. */
const SENTENCE = new RegExp(
  String.raw`\b((?:password|passphrase|passcode|secret|token|api key|access key|pw|pin(?= (?:code|is|was)))\b` +
    String.raw`[^\r\n.:=]{0,40}?\b(?:is|was|as|to|are|be)[ \t]{1,8}(?:now[ \t]|set to[ \t])?` +
    String.raw`["'\x60*]{0,3})(?![$<{%]|https?:|\d+[ \t.,])([^\s"'\x60*,;\\<]{6,200})`,
  'gi',
)

const PASSWORD = 'pass(?:word|phrase|code|wort)|passwd|kennwort|contrase[ñn]a|mot de passe|\\bpw'

/** `Generated password for bob: x`, `Das Passwort lautet x`, `user bob, password x`. */
const NAMED = new RegExp(
  `\\b((?:${PASSWORD})\\b(?:[^\\r\\n.:=]{0,60}?:[ \\t]{1,8}(?=[^\\s:]+(?:[\\s"'\`]|$))` +
    `|[^\\r\\n.:=]{0,40}?\\b(?:lautet|ist|es|est)[ \\t]{1,8}` +
    `|[ \\t]{1,8}(?=\\S{0,40}\\d)(?=\\S{0,40}[a-z])(?=\\S{0,40}[A-Z]))["'\`*]{0,3})` +
    `(?![$<{%[]|https?:|\\d+[ \\t.,])([^\\s"'\`*,;\\\\<]{6,200})`,
  'gi',
)

/** The words that stand for the key of a wallet: 12 to 24 of them. */
const MNEMONIC = new RegExp(
  String.raw`(\b(?:mnemonic|(?:seed|recovery|backup|secret)[ _-]?(?:phrase` +
    String.raw`|words))\b["'\x60]?[ \t]{0,4}(?:[:=]|\bis\b)[ \t]{0,4}["'\x60]?)` +
    String.raw`(?:[a-z]{3,8}[ \t]{1,4}){11,23}[a-z]{3,8}\b`,
  'gi',
)

/** Replaces a password that a sentence names. */
export function redactSentences(text: string): string {
  const withoutWords = text.replace(MNEMONIC, `$1${SECRET}`)
  return [SENTENCE, NAMED].reduce(redactNamed, withoutWords)
}

function redactNamed(text: string, rule: RegExp): string {
  return text.replace(rule, (found, before: string, value: string) => {
    if (!isSecret(value.replace(/[.!?)]+$/, ''))) return found
    const [end = ''] = /[.!?]?$/.exec(value) ?? []
    return `${before}${SECRET}${end}`
  })
}

/** Whether it is no word and no name: it has a digit or a mark, or its letters are large and small without an order. */
function isSecret(value: string): boolean {
  if (!/[a-z]/i.test(value) || /[()[\]{}<>/=]/.test(value)) return false
  return /[\d!@#$%^&]/.test(value) || (/[a-z][A-Z].*[a-z][A-Z]/.test(value) && /[A-Z]{2}/.test(value))
}
