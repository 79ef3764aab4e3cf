import { withoutUnseen } from './printable.ts'
import { startOfOpenKey, startOfOpenObject } from './private-keys.ts'
import { startOfOpenList } from './words.ts'

/**
 * Returns the beginning of a text that still grows: no later text can make a secret of it. The last line may go
 * on. Later lines explain the lines of a private key, of a list of arguments and of an object that is a secret.
 */
export function settledText(text: string): string {
  const end = text.lastIndexOf('\n') + 1
  // The rules see the text without its colours, so they may see other lines in it.
  const visible = withoutUnseen(text.slice(0, end))
  const open = Math.min(startOfOpenKey(visible), startOfOpenList(visible), startOfOpenObject(visible))
  return text.slice(0, startOfLastLines(text, end, visible.slice(open).split('\n').length - 1))
}

/** Returns the start of that many lines before the end, which is the start of a line too. */
function startOfLastLines(text: string, end: number, count: number): number {
  let start = end
  for (let left = count; left > 0 && start > 0; left -= 1)
    start = start > 1 ? text.lastIndexOf('\n', start - 2) + 1 : 0
  return start
}
