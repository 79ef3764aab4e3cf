const UNIX = String.raw`(?:\/(?:mnt\/)?[a-z])?\/(?:home|Users)\/[^\s/\\:;,"'\x60<>|()[\]{}*?]{1,256}`

/** Windows allows spaces in a name. They count only if the path continues, because the next words may be no part of it. */
const WINDOWS = String.raw`[A-Za-z]:[\\/]{1,4}Users[\\/]{1,4}(?:[^\s\\/:;,"'\x60<>|*?]{1,64}(?: [^\s\\/:;,"'\x60<>|*?]{1,64}){1,2}(?=[\\/])|[^\s\\/:;,"'\x60<>|()[\]{}*?]{1,256})`

/** A relative path such as `src/home/page` is no home. An escaped line break, a compiler flag or a percent code may stand before one. */
const START = String.raw`(?<=^|[^\w.~-]|\\[nrt]|-[A-Z]|%[0-9A-Fa-f]{2})`

/** The home of the administrator. */
const ROOT = String.raw`\/root(?![\w-]|\.\w)`

const HOME = new RegExp(`${START}(?:${WINDOWS}|${UNIX}|${ROOT})`, 'g')

/** Programs name a folder after a path, with a dash for each slash. */
const FOLDER_NAME = /(?<=^|[\\/\s"'`(=:])-(?:home|Users)-[^\s/\\:"'`-]{1,256}/g

/**
 * Replaces the home folder in each path by `~`: `/home/x`, `/Users/x`, `/root`, `C:\Users\x`, and folder names such as `-home-x-project`. It
 * knows these common forms and no other: a user name elsewhere stays.
 */
export function redactHomePaths(text: string): string {
  return text.replace(HOME, '~').replace(FOLDER_NAME, '-~')
}
