/**
 * The form of a value: in quotes, as a setting such as `DB_PASSWORD=x` (no code), as the rest of a line of YAML,
 * as a word before other words, or in another way.
 */
export type ValueForm = 'quoted' | 'setting' | 'line' | 'sentence' | 'bare'

/** Types, empty values and names of variables. They reveal nothing, and code is full of them. */
const CONSTANT = /* @__PURE__ */ new RegExp(
  String.raw`^(?:string|str|number|u?int\d{0,2}(?:array)?|integer|boolean|bool|bytes|undefined|null|nil|none` +
    String.raw`|true|false|yes|no|any|unknown|never|void|object|required|optional|:?\*+|#[0-9a-f]{3,8}|x{3,}` +
    String.raw`|\.{2,}|…|-+|\[(?:key|secret|email|redacted|hidden)\]?|redacted|hidden|masked|changeme|example` +
    '|bearer|basic|digest|await|new|function|typeof|not|self|this|yield|if|lambda|class|const|let|var' +
    '|return)$',
  'i',
)

/** A variable or a place for a value: `$NAME`, `${name}`, `{{ name }}`, `<name>`, `%s`, `%NAME%`, `:name`. */
const PLACEHOLDER = /* @__PURE__ */ new RegExp(
  String.raw`^(?:\$[A-Za-z]?[a-z_]*(?:[A-Z][a-z_]+)*|\$[A-Z_][A-Z0-9_]*|\$\{.*|\$?\{\{.*|\$\(.*|<[^>]*>?` +
    String.raw`|%[sdvq]|%\w+%|\{\w*\}?|:\w+|[Yy](?:our|OUR)[-_ ].*|my[-_](?:password|token|secret|api[-_]?key)` +
    String.raw`|\?)$`,
)

/** A call, a field or a type: `getToken()`, `settings.TOKEN`, `form.password`, `os.environ[`, `Map<`, `!token`, `&token`, `(token`. */
const CODE =
  /^[!&*(+]*(?:await |new |typeof |self|this)?(?:[A-Za-z_$][\w$]*(?:\??\.|::|->))*[A-Za-z_$][\w$]*(?:\(|\[|<\w|\?\.|!\.)/

/** A path of names without digits. */
const MEMBER = /^[!&*(]*[A-Za-z_$][A-Za-z_$]*(?:(?:\??\.|::|->)[A-Za-z_$]+)+$/

/**
 * Beginnings of texts that are no values: a list, an object, an expression, an expression of patterns. A key in base64 may
 * begin with a slash or a plus.
 */
const OPENING = /^(?:[[{(]|[|/*<>!&?+~]+[A-Za-z_$\s.]*$|\/.*[\\[(^|])/

/** The word of a secret, which is no secret itself. */
const EXACT =
  /^(?:passw(?:or)?d|passwort|passphrase|pass|pwd|secret|token|key|auth|credentials?|string|value|str|input)s?[!?]?$/i

/** An identifier that names a secret, such as `authToken`. */
const NAMESAKE = /* @__PURE__ */ new RegExp(
  '^[!&*]*[A-Za-z_$.-]*(?:passw(?:or)?d|passphrase|pwd|pass|secret|token|key|credentials?|auth' +
    '|string|value|input|header|str)s?[A-Za-z_$]{0,12}[!?]?$',
  'i',
)

/** An identifier of several words. A weak password such as `mysecret` is none. */
const SEVERAL_WORDS = /[_.$-]|[A-Za-z][A-Z][a-z]/

/** A word of letters alone, which may be a type or a variable. */
const WORD = /^[A-Za-z_$]+[!?]?$/

const SMALL_NUMBER = /^[+-]?(?:\d{1,9}|\d+\.\d+|\d{1,3}(?:_\d{3})+)[a-z%]{0,2}$/i

/** Words of sentences. A passphrase is made of other words. */
export const SENTENCE: RegExp =
  /(?:^|\s)(?:the|a|an|is|are|was|be|to|of|for|and|or|in|on|with|your|you|this|that|not|must|can|will|if|it|as|by|from)(?=\s|$)/i

/** Whether the value of a name such as `token` is no secret: code, a type, a placeholder, a small number or prose. */
export function isHarmless(
  found: string,
  { name, form }: { readonly name: string; readonly form: ValueForm },
): boolean {
  const value = found.trim().replace(/[)}\]|;,]+$/, '')
  if (value === '' || CONSTANT.test(value) || PLACEHOLDER.test(value)) return true
  if (/auth$/i.test(name) && !ENCODED.test(value)) return true
  if (!isPassSetting(name, form) && /^pass\b/i.test(name) && !/^(?=.*[\d!-/:-@])[!-~]+$/.test(value))
    return true
  if (SMALL_NUMBER.test(value)) return !/^(?:passw|pwd|passp|passc)/i.test(name)
  if (form === 'quoted') return isLabel(value, name)
  if (form === 'setting') return value.startsWith('$')
  if (form === 'sentence' && WORD.test(value)) return true
  return value.split(/\s*\|\s*/).every((part) => CONSTANT.test(part) || isCode(part)) || isProse(value)
}

/** `SMTP_PASS=x`, and the same name beside a value in quotes. Code and prose have the word `pass` too. */
function isPassSetting(name: string, form: ValueForm): boolean {
  return form === 'setting' || (form === 'quoted' && name === 'PASS')
}

/**
 * Whether the value of a name such as `A_KEY` is made like a key: such names are those of columns, places and files
 * too. A key mixes letters and digits more often than a name does.
 */
export function looksLikeKey(value: string, form: ValueForm): boolean {
  if (!/^[\w+/=~-]{16,}$/.test(value)) return false
  const changes = value.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0
  if (changes > 2) return true
  if (!/[a-z]/.test(value) || !/[A-Z]/.test(value)) return false
  return UNSPEAKABLE.test(value) || (form === 'setting' ? /\d/.test(value) : changes > 1)
}

/** The value of `"auth"` in settings of registries is base64. In code, it is the name of a strategy. */
const ENCODED = /^(?=.*[\dA-Z])[A-Za-z0-9+/=_-]{12,}$/

function isCode(value: string): boolean {
  if (value.length >= 200) return false
  return CODE.test(value) || MEMBER.test(value) || OPENING.test(value) || isNamesake(value) || isType(value)
}

function isNamesake(value: string): boolean {
  return EXACT.test(value) || (NAMESAKE.test(value) && SEVERAL_WORDS.test(value))
}

/** Names of types begin with a capital letter: `SecretStr`, `keys.Ed25519Key`. A default may follow them. */
function isType(value: string): boolean {
  const [type = ''] = value.split(/\s+=\s/)
  return type.length <= 60 && (CONSTANT.test(type) || (TYPE.test(type) && !UNSPEAKABLE.test(type)))
}

/** Words of a language have a vowel between so many letters. */
const UNSPEAKABLE = /[^aeiouy.\d[\]]{6}/i

const TYPE = /^(?:[A-Z][a-z]+(?:[A-Z][a-z]+)*|(?:[a-z_]\w*\.)+[A-Z]\w*[A-Z]\w*)(?:\[\])?$/

function isProse(value: string): boolean {
  const words = value.split(/\s+/)
  return words.length > 1 && (SENTENCE.test(value) || words.every(isNamesake))
}

/** A text of a program, such as `"password": "The password is required"`, or a name: `"token": "token"`. */
function isLabel(value: string, name: string): boolean {
  if (/^[\^~]?\d+\.\d+\.\d+$/.test(value)) return true
  if (isNamesake(value) && !/^(?:my|super|test)/i.test(value)) return true
  if (value.toLowerCase() === name.toLowerCase()) return true
  return /\S\s+\S+\s+\S/.test(value) && !/\d/.test(value) && SENTENCE.test(value)
}
