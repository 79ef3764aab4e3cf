import { isHarmless } from './harmless.ts'
import { SECRET } from './marks.ts'

const NAME = 'password|passwd|passphrase|pwd|secret|token|(?:api|access|secret|private)[_-]?key'

/** Where a value has no sign such as `=` before it, what looks like a key or a password with digits is one. */
const KEY = '(?=[^\\s"\'`|│<]{0,200}\\d)(?=[^\\s"\'`|│<]{0,200}[A-Za-z])[^\\s"\'`|│<>(),;:=]{8,1000}'

const RULES: readonly RegExp[] = [
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
  /(\b(?:IDENTIFIED\s{1,8}BY|PASSWORD)\s{1,8}')([^'\n]{1,1000})(?=')/g,
  // `password: |` above the value
  new RegExp(
    `((?:${NAME}):[ \\t]{0,8}[|>][-+\\d]?[ \\t]{0,8}\\r?\\n[ \\t]{1,40})(\\S[^\\r\\n]{0,1000})`,
    'gi',
  ),
  // A parameter of an address within an address
  new RegExp(`((?:${NAME})%3D)([^\\s%&"'\`]{4,1000})`, 'gi'),
  /(\brequirepass[ \t]+["']?)([^\s"'<$]{4,1000})/g,
]

/** Replaces values that the place beside a name or a word shows: elements, arguments, cells of tables, and statements of SQL. */
export function redactPlaces(text: string): string {
  return RULES.reduce(
    (rest, rule) =>
      rest.replace(rule, (found, before: string, value: string) =>
        isHarmless(value, { name: '', form: 'quoted' }) ? found : before + SECRET,
      ),
    text,
  )
}
