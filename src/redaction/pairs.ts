import { isHarmless, looksLikeKey, SENTENCE, type ValueForm } from './harmless.ts'
import { BREAK, GUTTER, KEY, QUOTE, SECRET } from './marks.ts'

/** The ends of the names of secrets. `_AUTH` and `_PASS` are such names, `author` and `bypass` are not. */
const NAME = [
  'passw(?:or)?d',
  'passwort',
  'kennwort',
  'contrase[ñn]a',
  'mot de passe',
  '(?<![A-Za-z])psk',
  'passphrase',
  'passcode',
  'pwd',
  '(?<![A-Za-z])pw',
  '(?<![A-Za-z])pass',
  'secret(?:[ _-]?(?:access[ _-]?)?key)?(?:[_-]?base)?',
  'token',
  '(?:api|access|private|account|signing|encryption|master|shared|session|storage|deploy|license' +
    '|auth|subscription|client|tls|ssh|jwt|app|webhook)[ _-]?key',
  'private[_-]?key[_-]?id',
  'client-key-data',
  'credentials?',
  'connection[_-]?string',
  'PHPSESSID',
  'JSESSIONID',
  'connect\\.sid',
  '(?<![A-Za-z])(?:_|x-|proxy-)?auth',
  '(?<=[A-Za-z0-9])_key',
].join('|')

/** Between a name and its value. */
const SEPARATOR = [
  // `name:` above `value: x`
  String.raw`(?:${QUOTE})?:[ \t]{0,8}(?:\{[ \t]{0,8})?(?:${BREAK}${GUTTER})?(?:${QUOTE})?value(?:${QUOTE})?:[ \t]{0,40}`,
  // `{"name": "x", "value": "y"}`, also on two lines and without quotes
  String.raw`(?:${QUOTE})?[ \t]{0,8},?[ \t]{0,8}(?:${BREAK}${GUTTER})?(?:${QUOTE})?(?:value|val` +
    String.raw`|content)(?:${QUOTE})?[ \t]{0,8}[:=][ \t]{0,40}`,
  // `name: value`, `"name": value`, `name => value`, `["name"] = value`, and not `name == value`
  String.raw`(?:${QUOTE})?\]?[ \t]{0,40}(?:=>|:=|[:=])(?![:=])(?:(?<=:)\*\*)?[ \t]{0,40}`,
].join('|')

const START = new RegExp(`(?:${NAME})(?:${SEPARATOR})`, 'gi')

/** Replaces the values of names such as `password`: `DB_PASSWORD=x`, `"token": "x"`, and a pair of `name` and `value`. */
export function redactPairs(text: string): string {
  let redacted = ''
  let at = 0
  START.lastIndex = 0
  for (let found = START.exec(text); found; found = START.exec(text)) {
    const afterName = START.lastIndex
    const { start, end, form } = valueAt(text, afterName, found)
    const [name = ''] = /^[\w-]{1,60}/.exec(found[0]) ?? []
    if (end - start <= MAX_HARMLESS) {
      const value = text.slice(start, end)
      if (isLinkTarget(found[0], value) || isHarmless(value, { name, form })) continue
      if (name === '_KEY' ? !looksLikeKey(value, form) : name === '_key') continue
    }
    redacted += text.slice(at, start) + SECRET
    at = end
    START.lastIndex = end
  }
  return redacted + text.slice(at)
}

/** Whether the name is the label of a link in Markdown or reStructuredText, as in `[api-token]: #token`. */
function isLinkTarget(found: string, value: string): boolean {
  return /[\]`]:[ \t]+$/.test(found) && /^(?:https?:|#[a-z-]+$)/.test(value)
}

/** A longer value is a secret, so that no long text is read twice. */
const MAX_HARMLESS = 200

/** The place of a value in its text, and its form. */
interface FoundValue {
  readonly start: number
  readonly end: number
  readonly form: ValueForm
}

const OPENING = /(?:[brufBRUF@$]{1,2}(?=["']))?(\\{0,15})(["'`])(?![,;)\s])/y

function valueAt(text: string, start: number, found: RegExpExecArray): FoundValue {
  OPENING.lastIndex = start
  const opening = OPENING.exec(text)
  if (opening) {
    const from = OPENING.lastIndex
    const end = endOfQuoted(text, from, { slashes: opening[1]?.length ?? 0, quote: opening[2] ?? '"' })
    return { start: from, end, form: 'quoted' }
  }
  const form = formOf(text, start, found)
  const end = endOfBare(text, start, form)
  const isInSentence = form === 'bare' && /^(?:[ \t]+[A-Za-z(=?&|+<>*]|;)/.test(text.slice(end, end + 8))
  return { start, end, form: isInSentence ? 'sentence' : form }
}

/** `export NAME=`, at the beginning of a line or of a command. Only such names have capital letters alone. */
const SETTING = /(?<![\w$.])[A-Z][A-Z0-9_]*=$/

function formOf(text: string, start: number, found: RegExpExecArray): keyof typeof ENDS {
  if (SETTING.test(text.slice(Math.max(0, found.index - 80), start))) return 'setting'
  return isYaml(text, found) || isPassphrase(text, start, found[0]) ? 'line' : 'bare'
}

/** Returns the end of a text in quotes: its own quote, or else the end of the line. */
function endOfQuoted(
  text: string,
  start: number,
  { slashes, quote }: { readonly slashes: number; readonly quote: string },
): number {
  const mark = /(?<!\\)(\\*)(["'`])|[\r\n]/g
  mark.lastIndex = start
  for (let found = mark.exec(text); found; found = mark.exec(text)) {
    if (found[2] === undefined) return found.index
    const count = found[1]?.length ?? 0
    const isClosing = found[2] === quote && count >= slashes && (count - slashes) % (2 * (slashes + 1)) === 0
    if (isClosing) return found.index + count - slashes
    // A quote of the text around this one.
    if (slashes > 0 && count < slashes && found[2] === '"') return found.index
  }
  return text.length
}

/** The ends of values. An expression of the values themselves would keep a place for each character, and overflow the stack. */
const ENDS: Readonly<Record<Exclude<ValueForm, 'quoted' | 'sentence'>, RegExp>> = {
  setting: /[\s"'`]|<\/|\\[nrt"'\\]|[&;](?![^\s"'`\\=]{1,200}(?:[\s"'`\\]|$))/g,
  // A flow of YAML has several pairs on its line.
  line: /[\r\n"'`\\#,;}\]]|<\/|\s[\w-]{1,40}[:=]/g,
  bare: /[\s"'`,;&)\]}]|<\/|\\[nrt"'\\]/g,
}
const VARIABLE = /(?:\$\{\{[^}\n]{0,100}\}\}|\$?\{\{[^}\n]{0,100}\}\}|\$\{[^}\n]{0,100}\}|<[^>\n]{1,60}>)/y

function endOfBare(text: string, start: number, form: keyof typeof ENDS): number {
  VARIABLE.lastIndex = start
  if (VARIABLE.test(text)) return VARIABLE.lastIndex
  const mark = ENDS[form]
  mark.lastIndex = start
  return start + text.slice(start, mark.exec(text)?.index).trimEnd().length
}

/** Whether several words without a digit of their own follow, such as `password: correct horse 7 staple`. A sentence has other words. */
function isPassphrase(text: string, start: number, found: string): boolean {
  if (!/^pass.*[:=][ \t]*$/i.test(found)) return false
  const [line = ''] = text.slice(start, start + MAX_HARMLESS).split(/[\r\n"'`\\#]|<\//, 1)
  return (
    /^[^\s,;]+(?: [^\s,;]+){1,7}$/.test(line.trim()) &&
    /\d|[a-z][A-Z]/.test(line) &&
    !SENTENCE.test(line) &&
    !END_OF_PARAMETERS.test(line)
  )
}

/** The end of a list of parameters, as in `def build(self, password: bytes) -> Encryption:`. */
const END_OF_PARAMETERS = /\)\s*(?:->|=>|[:{])/

/** Whether the name is the first word of a line, as in YAML. */
function isYaml(text: string, found: RegExpExecArray): boolean {
  const before = text.slice(Math.max(0, found.index - 80), found.index)
  return /:[ \t]+$/.test(found[0]) && YAML_NAME.test(before)
}

const YAML_NAME = new RegExp(`(?:^|\\r?\\n|\\\\n)${GUTTER}(?:- )?[\\w.-]{0,40}$`)

/** `Authorization: `, also in JSON and as a pair of a name and a value. */
const HEADER =
  String.raw`\b((?:proxy-)?authorization(?:${QUOTE})?(?:[ \t]{0,8},?[ \t]{0,8}(?:${QUOTE})?value` +
  String.raw`(?:${QUOTE})?)?[ \t]{0,8}[:=,][ \t]{0,8}(?:${QUOTE})?(?:[a-z][\w-]{0,20}[ \t]{1,8})?)`

/** The value of the header, with or without a scheme. A variable reveals nothing. */
const AUTHORIZATION = new RegExp(
  String.raw`${HEADER}(?![$<{%]|\[|https?:)([A-Za-z0-9+/_-][A-Za-z0-9._~+/=:,-]{7}[A-Za-z0-9._~+/=:,-]*)`,
  'gi',
)

/** `Bearer` and `Basic` are words of prose too. */
const SCHEME =
  /\b(Bearer|Basic)((?:[ \t]{1,8}|\\{0,15}["'],[ \t]{0,8}\\{0,15}["']))([A-Za-z0-9._~+/=-]{8}[A-Za-z0-9._~+/=-]*)/gi

/** The signature of a request, which comes behind other words of the header. */
const SIGNATURE = /(\b(?:Signature|response)=\\{0,15}"?)[0-9a-f]{32,128}/g

/** `Cookie: a=b; c=d`, `"cookie": "a=b"` and `curl -b a=b`. The names of the cookies are hidden too. */
const COOKIE = new RegExp(
  String.raw`(\b(?:set-)?cookie(?:${QUOTE})?(?:[ \t]{0,8},?[ \t]{0,8}(?:${QUOTE})?value` +
    String.raw`(?:${QUOTE})?)?[ \t]{0,8}[:,][ \t]{0,8}(?:${QUOTE})?|[ \t](?:-b` +
    String.raw`|--cookie)[ \t=]{1,8}(?:${QUOTE})?)([\w!#$%&*+.^|~-]{1,100}=)` +
    String.raw`([^\s"'\x60;\\,$<{][^\r\n"'\x60\\]*)`,
  'gi',
)

/** Replaces what logs a person in: the values of `Authorization`, of `Bearer` and `Basic`, and cookies. */
export function redactHeaders(text: string): string {
  return text
    .replace(AUTHORIZATION, (found, before: string, value: string) => (isProse(value) ? found : before + KEY))
    .replace(SCHEME, (found, scheme: string, space: string, value: string) =>
      isCredential(scheme, value) ? scheme + space + KEY : found,
    )
    .replace(SIGNATURE, `$1${KEY}`)
    .replace(COOKIE, `$1$2${SECRET}`)
}

/** `authorization: required`, `Authorization: Bearer authentication`, `authorization: settings.authorization`. */
function isProse(value: string): boolean {
  if (/^[a-z.,:-]+$/.test(value)) return true
  return value.length < 24 && /^[A-Za-z.,:-]+$/.test(value) && !/[a-z][A-Z].*[a-z][A-Z]/.test(value)
}

function isCredential(scheme: string, value: string): boolean {
  if (scheme.toLowerCase() === 'bearer')
    return /\d/.test(value) || (value.length >= 20 && !/^[a-z.-]+$/i.test(value))
  return /\d|=$/.test(value) && isUserAndPassword(value)
}

/** The value of `Basic` is `user:password` in base64. */
function isUserAndPassword(value: string): boolean {
  const whole = value.slice(0, Math.min(value.length - (value.length % 4), 400)).replace(/=+$/, '')
  try {
    return atob(whole.slice(0, whole.length - (whole.length % 4))).includes(':')
  } catch {
    return false
  }
}
