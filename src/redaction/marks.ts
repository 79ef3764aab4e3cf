/** The replacement of a key. */
export const KEY = '[key]'

/** The replacement of a password, and of another value that only its name shows. */
export const SECRET = '[secret]'

/** A quote. JSON in JSON has backslashes before it. */
export const QUOTE: string = String.raw`\\{0,15}["'\x60]`

/** A real line break, or an escaped one in JSON. */
export const BREAK: string = String.raw`(?:\r?\n|\\{1,8}r?\\{0,8}n)`

/** The beginning of a line in the numbered output of a tool, in a diff, in a quotation or in a log of `grep -n`. */
export const GUTTER: string = String.raw`(?:[ \t]{0,12}\d{1,7}[ \t]{0,4}(?:→|│|\||:|-|\t)|[ \t]{0,8}[│|>#+-]{1,3})?[ \t]{0,40}`

/** Returns the expression of at least `count` characters. `{count,}` would overflow the stack on a run of megabytes. */
export function atLeast(count: number, set: string): string {
  return `${set}{${count}}${set}*`
}
