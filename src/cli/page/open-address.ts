import { spawn } from 'node:child_process'
import process from 'node:process'

const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['explorer.exe'],
}

/** Opens the address in the browser. Without a browser nothing happens: the address is on the terminal. */
export function openAddress(url: string): void {
  const [program, ...options] = OPENERS[process.platform] ?? ['xdg-open']
  const opener = spawn(program, [...options, url], { stdio: 'ignore', detached: true })
  opener.on('error', () => {})
  opener.unref()
}
