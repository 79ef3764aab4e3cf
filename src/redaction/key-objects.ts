import { BREAK, GUTTER, KEY, QUOTE, SECRET } from './marks.ts'

/** The members of a JSON Web Key that only its owner knows (RFC 7518, section 6). The other members are public. */
const PRIVATE_MEMBER = new RegExp(
  String.raw`((?:${QUOTE})(?:d|p|q|dp|dq|qi|k)(?:${QUOTE})\s{0,8}:\s{0,8}(?:${QUOTE}))[A-Za-z0-9_-]{16}[A-Za-z0-9_-]*`,
  'g',
)
const KEY_TYPE = new RegExp(`(?:${QUOTE})kty(?:${QUOTE})`)

/** An escaped line break may stand before a word. */
const WORD_START = String.raw`(?:\b|(?<=\\[nrt]))`

/** An entry of a map in YAML. It stands further right than the name of the map. */
const YAML_ENTRY = String.raw`${BREAK}${GUTTER}(?<=  )[\w.-]{1,100}:[ \t]{1,8}`
const YAML_MAP = new RegExp(
  String.raw`${WORD_START}(?:data|stringData):[ \t]{0,8}(?:${YAML_ENTRY}[^\s\\][^\r\n\\]{0,100000}){1,200}`,
  'g',
)
const YAML_VALUE = new RegExp(String.raw`(${YAML_ENTRY})[^\s\\][^\r\n\\]*`, 'g')
const JSON_MAP = new RegExp(
  String.raw`(?:${QUOTE})(?:data|stringData)(?:${QUOTE})\s{0,8}:\s{0,8}\{[^{}]{0,100000}\}`,
  'g',
)
const JSON_VALUE = new RegExp(String.raw`((?:${QUOTE})\s{0,8}:\s{0,8}(\\{0,15}"))[^"\\]{1,100000}`, 'g')

/** A secret of Kubernetes. The names of its entries say nothing, and their values are in base64. */
const KUBERNETES_SECRET = new RegExp(
  String.raw`${WORD_START}kind(?:${QUOTE})?:[ \t]{0,8}(?:${QUOTE})?Secret\b`,
)

/** Replaces the private members of JSON Web Keys, and the values of Kubernetes secrets. */
export function redactKeyObjects(text: string): string {
  const withoutMembers = KEY_TYPE.test(text) ? text.replace(PRIVATE_MEMBER, `$1${KEY}`) : text
  if (!KUBERNETES_SECRET.test(text)) return withoutMembers
  return withoutMembers
    .replace(YAML_MAP, (map) => map.replace(YAML_VALUE, `$1${SECRET}`))
    .replace(JSON_MAP, (map) => map.replace(JSON_VALUE, `$1${SECRET}`))
}

/** Returns where the object begins whose later lines may say that it is a secret, or the length of the text. */
export function startOfOpenObject(text: string): number {
  const member = KEY_TYPE.test(text) ? -1 : text.search(PRIVATE_MEMBER)
  if (member >= 0 && !text.includes('}', member)) return member
  const map = text.includes('apiVersion') ? text.search(/\b(?:data|stringData):[ \t]*[\r\n]/) : -1
  return map >= 0 && !/\bkind:/.test(text) ? map : text.length
}
