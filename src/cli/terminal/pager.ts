import { spawn } from 'node:child_process'
import process from 'node:process'
import { finished } from 'node:stream/promises'

/**
 * Runs work whose output goes to a pager, such as `less -R`, and waits until the person leaves it. `LESS` gets the options that show colours and leave a short
 * text on the screen, unless the person has set it. If the pager does not start, the output goes to `write`.
 */
export async function writePaged(
  command: string,
  work: (write: (text: string) => unknown) => Promise<void>,
  write: (text: string) => unknown,
): Promise<void> {
  const pager = spawn(command, {
    shell: true,
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { LESS: 'FRX', ...process.env },
  })
  const ended = new Promise<number | null>((resolve) => {
    pager.on('close', resolve)
    pager.on('error', () => resolve(NOT_FOUND))
  })
  // The person may leave before the end of the text.
  const closed = finished(pager.stdin).catch(() => {})
  let text = ''
  await work((part) => {
    text += part
    return pager.stdin.writable && pager.stdin.write(part)
  })
  pager.stdin.end()
  await closed
  if ((await ended) === NOT_FOUND) write(text)
}

/** The exit code of a shell for a command that it does not find. */
const NOT_FOUND = 127
