import { KEY, SECRET } from './marks.ts'

/** The paths of webhooks are their secrets. */
const WEBHOOK = /* @__PURE__ */ new RegExp(
  String.raw`((?:hooks\.slack\.com\\{0,3}/(?:services|workflows|triggers)` +
    String.raw`|discord(?:app)?\.com\\{0,3}/api(?:\\{0,3}/v\d{1,2})?\\{0,3}/webhooks` +
    String.raw`|(?<![\w-])[\w-]{1,60}\.webhook\.office\.com\\{0,3}/webhookb2` +
    String.raw`|hooks\.zapier\.com\\{0,3}/hooks\\{0,3}/catch|chat\.googleapis\.com\\{0,3}/v1\\{0,3}/spaces` +
    String.raw`|open\.(?:feishu\.cn|larksuite\.com)\\{0,3}/open-apis\\{0,3}/bot\\{0,3}/v2\\{0,3}/hook)\\{0,3}/)` +
    String.raw`(?:[A-Za-z0-9_@-]|\\{0,3}/){10}(?:[A-Za-z0-9_@-]|\\{0,3}/){0,400}`,
  'g',
)

/** A slash belongs to a password if no port stands before it: `http://localhost:3000/@scope` has none. */
const PASSWORD =
  /((?:(?<![\w/])|:)\/\/[^\s:/@"']{0,100}:)(?:[^\s/"']{1,200}|(?!\d{1,5}\/)[^\s"'@]{1,200})(?=@)/g

/** A key in the place of the user: `https://0123456789abcdef0123@host`. A name has no such form. */
const USER = /(:\/\/)(?=[^\s:/@"']{0,100}\d)[A-Za-z0-9_.~+=%-]{20}[A-Za-z0-9_.~+=%-]{0,400}(?=@)/g

/** `jdbc:oracle:thin:user/password@host` */
const ORACLE = /(\bjdbc:oracle:\w{1,10}:[^\s/@:"']{1,60}\/)[^\s@"']{1,200}(?=@)/g

/** Parameters whose names alone say little. `code` and `state` belong to one login. */
const PARAMETER = /* @__PURE__ */ new RegExp(
  '([?&](?:amp;)?(?:key|apikey|sig|signature|x-amz-signature|x-amz-credential|x-goog-signature|code' +
    '|auth|hmac|access|subscription-key|sv-?sig|ticket|session|sid|jwt' +
    '|pw)=)([A-Za-z0-9%+/_.~=-]{16}[A-Za-z0-9%+/_.~=-]*)',
  'gi',
)

/** Replaces the secrets of addresses: passwords, keys as users, signatures and the paths of webhooks. */
export function redactAddresses(text: string): string {
  return text
    .replace(WEBHOOK, `$1${KEY}`)
    .replace(PASSWORD, `$1${SECRET}`)
    .replace(ORACLE, `$1${SECRET}`)
    .replace(USER, `$1${KEY}`)
    .replace(PARAMETER, `$1${KEY}`)
}

// A match begins only where a run of these characters begins. Otherwise a long run without `@` would be searched from
// each of its places.
const EMAIL = /* @__PURE__ */ new RegExp(
  String.raw`(?<![\p{L}\p{N}.%+_-])[\p{L}\p{N}_.%+-]{1,256}(?:@|%40)(?:[\p{L}\p{N}-]{1,63}\.){1,8}(?!(?:png` +
    '|jpe?g|gif|svg|webp|avif|ico|css|[cm]?[jt]sx?|json|md|html?|ya?ml|tgz|zip|gz|txt|pdf' +
    String.raw`|mp4)(?![A-Za-z]))\p{L}{2,24}(?![A-Za-z0-9])`,
  'gu',
)

/** The user of an address of Git is always the same. */
const GIT_USER = /^git(?:lab|ea)?@/

/** Replaces each e-mail address by `[email]`: `a@b.example`, also with letters of other languages, and with `%40`. */
export function redactEmails(text: string): string {
  return text.replace(EMAIL, (found) => (GIT_USER.test(found) ? found : '[email]'))
}

/** Slashes of a path, as they are, escaped, or as percent codes. */
const SLASH = String.raw`(?:\/|\\{1,8}\/|%(?:25){0,2}2[Ff])`
const BACKSLASH = String.raw`(?:[\\/]{1,8}|%(?:25){0,2}5[Cc]|%(?:25){0,2}2[Ff])`
const NAME = String.raw`[^\s/\\:;,"'\x60<>|()[\]{}*?%&#]{1,256}`

const UNIX = `(?:${SLASH}(?:mnt|cygdrive|var|host_mnt|export|private))?(?:${SLASH}[a-z])?${SLASH}(?:home|Users)${SLASH}${NAME}`

/** Windows allows spaces in a name. They count only if the path continues, because the next words may be no part of it. */
const WINDOWS =
  String.raw`(?:[A-Za-z](?::|%3[Aa])|(?=\\{1,8}Users\\)|\\{2,8}(?:wsl\$|wsl\.localhost` +
  String.raw`|[\w.-]{1,60})\\{1,8}[\w.$-]{1,60})${BACKSLASH}(?:Users|home` +
  String.raw`|Documents and Settings)${BACKSLASH}(?:[^\s\\/:;,"'\x60<>|*?]{1,64}` +
  String.raw`(?: [^\s\\/:;,"'\x60<>|*?]{1,64}){1,2}(?=[\\/])|${NAME})`

/** A relative path such as `src/home/page` is no home. An escaped line break, a compiler flag or a percent code may stand before one. */
const PATH_START = String.raw`(?<=^|[^\p{L}\p{N}_.~-]|\\[nrt]|-[A-Z]|%[0-9A-Fa-f]{2})`

/** The home of the administrator. */
const ROOT = String.raw`\/root(?![\w-]|\.\w)`

/** In an address, the path begins after any character. */
const ENCODED = `%(?:25){0,2}2[Ff](?:home|Users)%(?:25){0,2}2[Ff]${NAME}`

const HOME = new RegExp(`${PATH_START}(?:${WINDOWS}|${UNIX}|${ROOT})|${ENCODED}`, 'gu')

/** Programs name a folder after a path, with a dash for each slash. */
const FOLDER_NAME = /(?<=^|[\\/\s"'`(=:])((?:[A-Z]-)?-)(?:home|Users)-[^\s/\\:"'`-]{1,256}/g

/** The owner and the group of a file in a listing. */
const OWNER =
  /((?:(?<=\\n)|(?<![\w-]))[bcdlps-](?:[r-][w-][xsStT-]){3}[.+@]?[ \t]+\d{1,7}[ \t]+)(?!root\b|\d)[^\s\\]{1,64}(?:([ \t]+)[^\s\\]{1,64})?/g

/** `USER=x`, and the same variable in JSON. */
const USER_VARIABLE =
  /((?<=\\[nrt]|\b)(?:USER|LOGNAME|USERNAME|SUDO_USER)(?:=|\\{0,15}"[ \t]{0,8}:[ \t]{0,8}\\{0,15}"))(?!root\b|\$|[ "'])[^\s"'\\;&|]{1,64}/g

/**
 * Replaces the home folder in each path by `~`: `/home/x`, `/Users/x`, `/root`, `C:\Users\x`, their forms in WSL,
 * Cygwin and addresses, and folder names such as `-home-x-project`. The owner in a line of `ls -l` and the values of
 * `USER` and `LOGNAME` become `[user]`. A user name elsewhere stays.
 */
export function redactHomePaths(text: string): string {
  return text
    .replace(HOME, (found: string, at: number) => (isRoute(text, found, at) ? found : '~'))
    .replace(FOLDER_NAME, '-~')
    .replace(
      OWNER,
      (_, before: string, space?: string) => `${before}[user]${space === undefined ? '' : `${space}[user]`}`,
    )
    .replace(USER_VARIABLE, '$1[user]')
}

/** Whether the path is one of a web site: after a verb, in a router or a link, or with a number in place of a name. */
function isRoute(text: string, found: string, at: number): boolean {
  if (!/^\/(?:home|Users)\//.test(found)) return false
  const name = found.slice(found.lastIndexOf('/') + 1)
  if (/^(?:\d+|:\w+|me|\.{1,3})$/.test(name)) return true
  return ROUTE.test(text.slice(Math.max(0, at - 24), at))
}

const ROUTE = new RegExp(
  String.raw`(?:\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)[ \t]{1,4}` +
    String.raw`|\b(?:get|post|put|patch|delete|use|route|navigate|push|redirect|goto)\(["'\x60]` +
    String.raw`|\b(?:href|to|route|pathname)=\{?["'\x60])$`,
)
