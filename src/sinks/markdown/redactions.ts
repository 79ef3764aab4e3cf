const KEY = '[key]'
const SECRET = '[secret]'

/** Not in the middle of a word, such as `task-`. An escaped line break or a percent code may stand before a key. */
const START = String.raw`(?<=^|[^A-Za-z0-9]|\\[nrt]|%[0-9A-Fa-f]{2})`

/** Keys that begin with a mark of their own. A match that fails has read a bounded number of characters. */
const MARKED = new RegExp(
  [
    'gh[pousr]_[A-Za-z0-9]{30,}',
    'github_pat_[A-Za-z0-9_]{20,}',
    'glpat-[A-Za-z0-9_-]{20,}',
    'npm_[A-Za-z0-9]{36,}',
    'hf_[A-Za-z0-9]{30,}',
    '(?:AKIA|ASIA)[A-Z0-9]{16}',
    'AIza[A-Za-z0-9_-]{35}',
    'xox[a-z]-[A-Za-z0-9-]{10,}',
    'xapp-[A-Za-z0-9-]{10,}',
    'xai-[A-Za-z0-9]{20,}',
    'gsk_[A-Za-z0-9]{20,}',
    'ya29\\.[A-Za-z0-9_-]{20,}',
    'SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}',
    '[rs]k_(?:live|test)_[A-Za-z0-9]{16,}',
    'whsec_[A-Za-z0-9+/=_-]{16,}',
    'GOCSPX-[A-Za-z0-9_-]{20,}',
  ].join('|'),
  'g',
)

/** `sk-` and `sk-ant-`, `sk-proj-` and so on. Without a digit it is a name, such as `sk-loading-spinner-small`. */
const SK = new RegExp(`${START}sk-[A-Za-z0-9_-]{16,}`, 'g')

/** A JSON Web Token. Its run of characters is searched once, because a match begins only where the run begins. */
const JWT = /(?<=^|[^A-Za-z0-9_-]|\\[nrt])eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*)?/g

const AUTHORIZATION = /\b(Bearer|Basic)([ \t]{1,8})[A-Za-z0-9._~+/=-]{8,}/gi

/** The header of GitHub and others. `Bearer` and `Basic` are secrets without the header too; `token` is a word of prose. */
const AUTHORIZATION_TOKEN =
  /\b(authorization(?:\\{0,3}["'])?[ \t]{0,8}[:=][ \t]{0,8}(?:\\{0,3}["'])?(?:token|api-?key)[ \t]{1,8})[A-Za-z0-9._~+/=-]{8,}/gi

/** The path of a webhook is its secret. */
const SLACK_WEBHOOK =
  /(hooks\.slack\.com\\{0,3}\/(?:services|workflows|triggers)\\{0,3}\/)(?:[A-Za-z0-9_-]|\\{0,3}\/){10,}/g

/** A slash belongs to a password if no port stands before it: `http://localhost:3000/@scope` has none. */
const ADDRESS_PASSWORD = /(:\/\/[^\s:/@"']{0,100}:)(?:[^\s/"']{1,200}|(?!\d{1,5}\/)[^\s"'@]{1,200})(?=@)/g

/** A name that ends like a secret's, then a separator, then a value with or without quotes. */
const PAIR = new RegExp(
  String.raw`((?:passw(?:or)?d|passphrase|pwd|secret(?:[_-]?key)?|token|api[_-]?key|access[_-]?key|private[_-]?key|account[_-]?key|credential)(?:\\{0,3}["'])?[ \t]{0,8}(?:[:=]|=>)[ \t]{0,8})` +
    String.raw`(?:"((?:[^"\\\n]|\\[^\n])+)"?|(\\{1,3})"([^"\n]+)"?|(\\{0,3})'([^'\n]+)'?|([^\s"',;&=>](?:[^\s"',;&\\]|\\(?![nrt"'\\]))*))`,
  'gi',
)

const FLAG =
  /(--(?:[a-z]{1,16}-)?(?:password|token|secret|api-key)[ \t]{1,8})(?:"[^"\n]+"|'[^'\n]+'|[^\s"'-][^\s"']*)/g

/** Types, empty values and names of variables. They reveal nothing, and code is full of them. */
const HARMLESS =
  /^(?:string|number|boolean|undefined|null|none|true|false|any|unknown|\$\{?[A-Z_][A-Z0-9_]*\}?|\[key\]|\[secret\])[)}\]|]*$/i

/**
 * Replaces keys and passwords by `[key]` and `[secret]`:
 * - the keys of OpenAI, Anthropic, xAI, Groq, GitHub, GitLab, AWS, Google, Slack, Stripe, SendGrid, npm and Hugging Face
 * - the secrets of Google's OAuth clients, and of webhooks of Slack, Stripe and Svix
 * - JSON Web Tokens, PEM private keys, the values of `Bearer` and `Basic`, and of `Authorization: token`
 * - passwords in addresses, and the values of pairs such as `password=`, `"token":` or `--token`
 *
 * It knows these common forms and no other: a secret of another form stays.
 */
export function redactKeys(text: string): string {
  return redactPrivateKeys(text)
    .replace(MARKED, KEY)
    .replace(SK, (found) => (/\d/.test(found) ? KEY : found))
    .replace(JWT, KEY)
    .replace(AUTHORIZATION, `$1$2${KEY}`)
    .replace(AUTHORIZATION_TOKEN, `$1${KEY}`)
    .replace(SLACK_WEBHOOK, `$1${KEY}`)
    .replace(ADDRESS_PASSWORD, `$1${SECRET}`)
    .replace(PAIR, redactPair)
    .replace(FLAG, `$1${SECRET}`)
}

function redactPair(
  found: string,
  name: string,
  inPlain: string | undefined,
  slashes: string | undefined,
  inDouble: string | undefined,
  singleSlashes: string | undefined,
  inSingle: string | undefined,
  bare: string | undefined,
): string {
  if (HARMLESS.test(inPlain ?? inDouble ?? inSingle ?? bare ?? '')) return found
  if (inPlain !== undefined) return `${name}"${SECRET}"`
  if (inDouble !== undefined) return `${name}${slashes}"${SECRET}${slashes}"`
  return inSingle === undefined ? `${name}${SECRET}` : `${name}${singleSlashes}'${SECRET}${singleSlashes}'`
}

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g

/** The largest private key in use has about 13,000 characters. */
const MAX_KEY_LENGTH = 20_000

/** One expression would search the end again for each beginning. */
function redactPrivateKeys(text: string): string {
  const ends = [...text.matchAll(END)].map((end) => end.index + end[0].length)
  let nextEnd = 0
  let at = 0
  let redacted = ''
  for (const begin of text.matchAll(BEGIN)) {
    if (begin.index < at) continue
    while ((ends[nextEnd] ?? text.length) < begin.index) nextEnd += 1
    const end = ends[nextEnd]
    redacted += `${text.slice(at, begin.index)}${KEY}`
    at =
      end !== undefined && end - begin.index <= MAX_KEY_LENGTH
        ? end
        : endOfBody(text, begin.index + begin[0].length)
  }
  return redacted + text.slice(at)
}

/** Returns the end of a key whose last line is missing. */
function endOfBody(text: string, start: number): number {
  const body = /[A-Za-z0-9+/=\s\\]*/y
  body.lastIndex = start
  return start + (body.exec(text)?.[0].trimEnd().length ?? 0)
}

// A match begins only where a run of these characters begins. Otherwise a long run without `@` would be searched from each of its places.
const EMAIL = /(?<![\w.%+-])[\w.%+-]+@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9])/g

/** Replaces each e-mail address by `[email]`. It knows plain ASCII addresses and no other form. */
export function redactEmails(text: string): string {
  return text.replace(EMAIL, '[email]')
}

const UNIX = String.raw`(?:\/(?:mnt\/)?[a-z])?\/(?:home|Users)\/[^\s/\\:;,"'\x60<>|()[\]{}*?]{1,256}`

/** Windows allows spaces in a name. They count only if the path continues, because the next words may be no part of it. */
const WINDOWS = String.raw`[A-Za-z]:[\\/]{1,4}Users[\\/]{1,4}(?:[^\s\\/:;,"'\x60<>|*?]{1,64}(?: [^\s\\/:;,"'\x60<>|*?]{1,64}){1,2}(?=[\\/])|[^\s\\/:;,"'\x60<>|()[\]{}*?]{1,256})`

/** A relative path such as `src/home/page` is no home. An escaped line break, a compiler flag or a percent code may stand before one. */
const PATH_START = String.raw`(?<=^|[^\w.~-]|\\[nrt]|-[A-Z]|%[0-9A-Fa-f]{2})`

/** The home of the administrator. */
const ROOT = String.raw`\/root(?![\w-]|\.\w)`

const HOME = new RegExp(`${PATH_START}(?:${WINDOWS}|${UNIX}|${ROOT})`, 'g')

/** Programs name a folder after a path, with a dash for each slash. */
const FOLDER_NAME = /(?<=^|[\\/\s"'`(=:])-(?:home|Users)-[^\s/\\:"'`-]{1,256}/g

/**
 * Replaces the home folder in each path by `~`: `/home/x`, `/Users/x`, `/root`, `C:\Users\x`, and folder names such as `-home-x-project`. It
 * knows these common forms and no other: a user name elsewhere stays.
 */
export function redactHomePaths(text: string): string {
  return text.replace(HOME, '~').replace(FOLDER_NAME, '-~')
}

/**
 * Applies `redactKeys`, `redactEmails` and `redactHomePaths`. They find common formats and no more: read the result before you share it.
 * Compose it with your own rules: `(text) => redactAll(text).replaceAll('Acme', '[customer]')`.
 */
export function redactAll(text: string): string {
  return redactHomePaths(redactEmails(redactKeys(text)))
}
