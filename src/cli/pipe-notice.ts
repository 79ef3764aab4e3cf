import { statSync } from 'node:fs'
import { oneLine } from './terminal/text.ts'

/** In ms. A pipe with a writer has its first line sooner, as a rule. */
const PATIENCE = 1_000

/** Opens the path. If it is a named pipe to which nobody writes, a line on standard error says what the command waits for. */
export async function openWithNotice<Opened>(
  path: string,
  writeError: (text: string) => unknown,
  open: () => Promise<Opened>,
): Promise<Opened> {
  const timer = setTimeout(() => {
    if (statSync(path, { throwIfNoEntry: false })?.isFIFO())
      writeError(`agentfold: ${oneLine(path)}: waiting for the first line of the pipe\n`)
  }, PATIENCE)
  try {
    return await open()
  } finally {
    clearTimeout(timer)
  }
}
