import { oneLine } from '../blocks/one-line.ts'

/** The most useful input fields of common tools, the best first. */
const HINT_FIELDS = ['command', 'file_path', 'filePath', 'path', 'pattern', 'query', 'url', 'description']

/** Returns a short description of a call's input on one line. Empty if the input has no text. */
export function toolHint(input: unknown): string {
  const texts = Object.entries(Object(input)).filter(isText)
  const [, hint = ''] =
    HINT_FIELDS.map((name) => texts.find(([key]) => key === name)).find((entry) => entry) ?? texts[0] ?? []
  return oneLine(hint)
}

function isText(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === 'string'
}
