// A match begins only where a run of these characters begins. Otherwise a long run without `@` would be searched from each of its places.
const EMAIL =
  /(?<![\p{L}\p{N}.%+_-])[\p{L}\p{N}_.%+-]{1,256}(?:@|%40)(?:[\p{L}\p{N}-]{1,63}\.){1,8}(?!(?:png|jpe?g|gif|svg|webp|avif|ico|css|[cm]?[jt]sx?|json|md|html?|ya?ml|tgz|zip|gz|txt|pdf|mp4)(?![A-Za-z]))\p{L}{2,24}(?![A-Za-z0-9])/gu

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
const WINDOWS = String.raw`(?:[A-Za-z](?::|%3[Aa])|(?=\\{1,8}Users\\)|\\{2,8}(?:wsl\$|wsl\.localhost|[\w.-]{1,60})\\{1,8}[\w.$-]{1,60})${BACKSLASH}(?:Users|home|Documents and Settings)${BACKSLASH}(?:[^\s\\/:;,"'\x60<>|*?]{1,64}(?: [^\s\\/:;,"'\x60<>|*?]{1,64}){1,2}(?=[\\/])|${NAME})`

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
 * Replaces the home folder in each path by `~`: `/home/x`, `/Users/x`, `/root`, `C:\Users\x`, their forms in WSL, Cygwin and addresses, and
 * folder names such as `-home-x-project`. The owner in a line of `ls -l` and the values of `USER` and `LOGNAME` become `[user]`. A user name
 * elsewhere stays.
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

const ROUTE =
  /(?:\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)[ \t]{1,4}|\b(?:get|post|put|patch|delete|use|route|navigate|push|redirect|goto)\(["'`]|\b(?:href|to|route|pathname)=\{?["'`])$/
