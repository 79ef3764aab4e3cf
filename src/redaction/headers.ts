import { KEY, QUOTE, SECRET } from './marks.ts'

/** `Authorization: `, also in JSON and as a pair of a name and a value. */
const HEADER = String.raw`\b((?:proxy-)?authorization(?:${QUOTE})?(?:[ \t]{0,8},?[ \t]{0,8}(?:${QUOTE})?value(?:${QUOTE})?)?[ \t]{0,8}[:=,][ \t]{0,8}(?:${QUOTE})?(?:[a-z][\w-]{0,20}[ \t]{1,8})?)`

/** The value of the header, with or without a scheme. A variable reveals nothing. */
const AUTHORIZATION = new RegExp(
  String.raw`${HEADER}(?![$<{%]|\[|https?:)([A-Za-z0-9+/_-][A-Za-z0-9._~+/=:,-]{7}[A-Za-z0-9._~+/=:,-]*)`,
  'gi',
)

/** `Bearer` and `Basic` are words of prose too. */
const SCHEME =
  /\b(Bearer|Basic)((?:[ \t]{1,8}|\\{0,15}["'],[ \t]{0,8}\\{0,15}["']))([A-Za-z0-9._~+/=-]{8}[A-Za-z0-9._~+/=-]*)/gi

/** The signature of a request, which stands behind other words of the header. */
const SIGNATURE = /(\b(?:Signature|response)=\\{0,15}"?)[0-9a-f]{32,128}/g

/** `Cookie: a=b; c=d`, `"cookie": "a=b"` and `curl -b a=b`. The names of the cookies are hidden too. */
const COOKIE = new RegExp(
  String.raw`(\b(?:set-)?cookie(?:${QUOTE})?(?:[ \t]{0,8},?[ \t]{0,8}(?:${QUOTE})?value(?:${QUOTE})?)?[ \t]{0,8}[:,][ \t]{0,8}(?:${QUOTE})?|[ \t](?:-b|--cookie)[ \t=]{1,8}(?:${QUOTE})?)([\w!#$%&*+.^|~-]{1,100}=)([^\s"'\x60;\\,$<{][^\r\n"'\x60\\]*)`,
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
