import { oneLine } from './one-line.ts'

/** What tells most about a call, in the words of the tools that are common. */
const TELLING = ['command', 'file_path', 'filePath', 'path', 'pattern', 'query', 'url', 'description']

/** Returns what a call is about, on one line; empty while nothing tells. */
export function toolHint(input: unknown): string {
  const texts = Object.entries(Object(input)).filter(isText)
  const [, hint = ''] =
    TELLING.map((name) => texts.find(([key]) => key === name)).find((entry) => entry) ?? texts[0] ?? []
  return oneLine(hint)
}

function isText(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === 'string'
}
