import { appendFile, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

const RECORDING = 'fixtures/claude-code/06-nested-forward/stream.ndjson'

/** The time between two lines, in ms. */
const PAUSE = 150

/** Writes a recorded session line by line, as its program wrote it. Returns the path of the file at once. */
export async function growingSession(): Promise<string> {
  const lines = (await readFile(RECORDING, 'utf8')).split(/(?<=\n)/)
  const path = join(await mkdtemp(join(tmpdir(), 'agentfold-')), 'session.ndjson')
  await writeFile(path, '')
  const write = async () => {
    for (const line of lines) {
      await appendFile(path, line)
      await setTimeout(PAUSE)
    }
  }
  write().catch((error: unknown) => process.emitWarning(String(error)))
  return path
}
