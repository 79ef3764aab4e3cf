import { redactCommands } from './commands.ts'
import { isHarmless } from './harmless.ts'
import { SECRET } from './marks.ts'
import { redactHeaders, redactPairs } from './pairs.ts'
import { redactAddresses, redactEmails, redactHomePaths } from './people.ts'
import { redactKeyObjects, redactPrivateKeys } from './private-keys.ts'
import { redactHashes, redactTokens } from './tokens.ts'
import { redactLists, redactSentences } from './words.ts'

/**
 * Replaces keys and passwords by `[key]` and `[secret]`:
 * - keys that begin with a mark of their provider: of models, code hosts, registries, clouds, chats, shops and
 *   tools
 * - JSON Web Tokens, and private keys: PEM, also if a part is missing, PuTTY and JSON Web Keys
 * - hashes of passwords, and the values of Kubernetes secrets
 * - the values of `Authorization`, of `Bearer` and `Basic`, and cookies
 * - passwords, keys and signatures in addresses, and the paths of webhooks
 * - the values of pairs such as `password=`, `"token":`, and of a `name` and a `value`
 * - passwords in commands: `--token x`, `curl -u`, `mysql -p`, and the lines of `.netrc` and `.pgpass`
 *
 * It knows these common forms and no other: a secret of another form stays.
 */
export function redactKeys(text: string): string {
  return redactTextKeys(redactLists(text, redactTextKeys))
}

const RULES: readonly ((text: string) => string)[] = [
  redactPrivateKeys,
  redactKeyObjects,
  redactHashes,
  redactTokens,
  redactHeaders,
  redactAddresses,
  redactPairs,
  redactCommands,
  redactPlaces,
  redactSentences,
]

function redactTextKeys(text: string): string {
  return RULES.reduce((rest, rule) => rule(rest), text)
}

/**
 * Applies `redactKeys`, `redactEmails` and `redactHomePaths`. They find common formats and no more: read the result
 * before you share it. Compose it with your own rules: `(text) => redactAll(text).replaceAll('Acme', '[customer]')`.
 */
export function redactAll(text: string): string {
  return redactHomePaths(redactEmails(redactKeys(text)))
}

const NAME = 'password|passwd|passphrase|pwd|secret|token|(?:api|access|secret|private)[_-]?key'

/** Where a value has no sign such as `=` before it, a text that looks like a key or a password with digits is one. */
const MIXED = '(?=[^\\s"\'`|│<]{0,200}\\d)(?=[^\\s"\'`|│<]{0,200}[A-Za-z])'
const KEY = `${MIXED}[^\\s"'\`|│<>(),;:=]{8,1000}`

/** A quote of an argument. It has backslashes before it in JSON. */
const MARK = String.raw`\\{0,15}["']`

/** The same as an argument in quotes. */
const ARGUMENT = String.raw`${MARK})(${MIXED}[^\s"'\x60|│<>(),;:=\\]{8,1000})(?=${MARK})`

const PLACES: readonly RegExp[] = [
  // `<password>x</password>`
  new RegExp(`(<[\\w:.-]{0,40}(?:${NAME})(?:\\s[^<>]{0,200})?>)([^<>\\s][^<>\\n]{0,1000})(?=</)`, 'gi'),
  // `define('DB_PASSWORD', 'x')`, `setItem("token", "x")`
  new RegExp(`((?:${NAME})["'\`]\\s{0,8},\\s{0,8}["'\`])(${KEY})(?=["'\`])`, 'gi'),
  // `ENV DB_PASSWORD x`, `setenv API_TOKEN x`, `DB_PASSWORD | x`
  new RegExp(
    `((?:${NAME.toUpperCase().replaceAll('[_-]', '_')})[ \\t]{0,40}[ \\t|│][ \\t|│"'\`]{0,40})(${KEY})(?=[\\s"'\`|│]|$)`,
    'g',
  ),
  // A row of a table: `| password | x |`
  new RegExp(`((?:${NAME})[ \\t\`*]{0,40}[|│][ \\t\`"']{0,40})(${KEY})(?=[\\s"'\`|│]|$)`, 'gi'),
  // `aws configure set aws_secret_access_key x`, `npm config set //registry.example/:_authToken x`
  /(\bconfig(?:ure)?[ \t]+set[ \t]+\S{0,200}(?:key|token|password|_auth)[ \t]+["']?)([^\s"'$<{][^\s"']{3,1000})/gi,
  // `IDENTIFIED BY 'x'`, `WITH PASSWORD 'x'`
  new RegExp(
    String.raw`(\b(?:IDENTIFIED\s{1,8}(?:WITH\s{1,8}[\w'"\x60]{1,60}\s{1,8})?(?:BY|AS)(?:\s{1,8}PASSWORD)?` +
      String.raw`|PASSWORD)\s{0,8}(?:\(\s{0,8}|(?<=\s))')([^'\n]{1,1000})(?=')`,
    'g',
  ),
  // `password: |` above the value
  new RegExp(
    `((?:${NAME}):[ \\t]{0,8}[|>][-+\\d]?[ \\t]{0,8}\\r?\\n[ \\t]{1,40})(\\S[^\\r\\n]{0,1000})`,
    'gi',
  ),
  // A parameter of an address within an address
  new RegExp(`((?:${NAME})%3D)([^\\s%&"'\`]{4,1000})`, 'gi'),
  // `requirepass x`, `ACL SETUSER a on >x`
  /(\b(?:requirepass|masterauth)[ \t]+["']?)([^\s"'<$]{4,1000})/g,
  /(\bACL[ \t]{1,8}SETUSER[ \t][^\r\n>]{1,200}[ \t]>)([^\s"'`\\]{1,1000})/gi,
  // `setPassword("x")`, `new NetworkCredential("user", "x")`, `login("user", "x")`
  new RegExp(
    String.raw`(\b(?:set|with)(?:Password|Secret|Token|ApiKey|AccessKey|SecretKey)\(\s{0,8}${ARGUMENT}`,
    'g',
  ),
  new RegExp(
    String.raw`(\b(?:NetworkCredential|UsernamePasswordCredentials?|HTTPBasicAuth|BasicAuth|log_?in` +
      String.raw`|auth\s{0,4}=\s{0,4})\(\s{0,8}${MARK}[^"'\n\\]{1,100}${MARK}\s{0,8},\s{0,8}${ARGUMENT}`,
    'gi',
  ),
  // `password 7 x` of network devices, `userPassword:: x` of LDIF
  new RegExp(`(\\b(?:password|secret)[ \\t]{1,8}\\d[ \\t]{1,8})(${KEY})(?=[\\s"'\`<]|$)`, 'g'),
  /(\b(?:userPassword|unicodePwd)::?[ \t]{1,8})([^\s"'`\\]{4,1000})/g,
  // `Unseal Key 1: x` of Vault
  /(\bUnseal Key \d{1,2}[^\r\n:]{0,20}:[ \t]{0,8})([A-Za-z0-9+/=]{16,200})/g,
]

/** Replaces values that the place beside a name or a word shows: elements, arguments, cells of tables, and statements of SQL. */
function redactPlaces(text: string): string {
  return PLACES.reduce(
    (rest, rule) =>
      rest.replace(rule, (found, before: string, value: string) =>
        isHarmless(value, { name: '', form: 'quoted' }) ? found : before + SECRET,
      ),
    text,
  )
}
