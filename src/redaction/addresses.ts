import { KEY, SECRET } from './marks.ts'

/** The paths of webhooks are their secrets. */
const WEBHOOK =
  /((?:hooks\.slack\.com\\{0,3}\/(?:services|workflows|triggers)|discord(?:app)?\.com\\{0,3}\/api(?:\\{0,3}\/v\d{1,2})?\\{0,3}\/webhooks|(?<![\w-])[\w-]{1,60}\.webhook\.office\.com\\{0,3}\/webhookb2|hooks\.zapier\.com\\{0,3}\/hooks\\{0,3}\/catch|chat\.googleapis\.com\\{0,3}\/v1\\{0,3}\/spaces|open\.(?:feishu\.cn|larksuite\.com)\\{0,3}\/open-apis\\{0,3}\/bot\\{0,3}\/v2\\{0,3}\/hook)\\{0,3}\/)(?:[A-Za-z0-9_@-]|\\{0,3}\/){10}(?:[A-Za-z0-9_@-]|\\{0,3}\/){0,400}/g

/** A slash belongs to a password if no port stands before it: `http://localhost:3000/@scope` has none. */
const PASSWORD =
  /((?:(?<![\w/])|:)\/\/[^\s:/@"']{0,100}:)(?:[^\s/"']{1,200}|(?!\d{1,5}\/)[^\s"'@]{1,200})(?=@)/g

/** A key in the place of the user: `https://0123456789abcdef0123@host`. A name has no such form. */
const USER = /(:\/\/)(?=[^\s:/@"']{0,100}\d)[A-Za-z0-9_.~+=%-]{20}[A-Za-z0-9_.~+=%-]{0,400}(?=@)/g

/** `jdbc:oracle:thin:user/password@host` */
const ORACLE = /(\bjdbc:oracle:\w{1,10}:[^\s/@:"']{1,60}\/)[^\s@"']{1,200}(?=@)/g

/** Parameters whose names alone say little. `code` and `state` belong to one login. */
const PARAMETER =
  /([?&](?:amp;)?(?:key|apikey|sig|signature|x-amz-signature|x-amz-credential|x-goog-signature|code|auth|hmac|access|subscription-key|sv-?sig|ticket|session|sid|jwt|pw)=)([A-Za-z0-9%+/_.~=-]{16}[A-Za-z0-9%+/_.~=-]*)/gi

/** Replaces the secrets of addresses: passwords, keys as users, signatures and the paths of webhooks. */
export function redactAddresses(text: string): string {
  return text
    .replace(WEBHOOK, `$1${KEY}`)
    .replace(PASSWORD, `$1${SECRET}`)
    .replace(ORACLE, `$1${SECRET}`)
    .replace(USER, `$1${KEY}`)
    .replace(PARAMETER, `$1${KEY}`)
}
