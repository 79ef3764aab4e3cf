import process from 'node:process'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

// `main.test.ts` starts the command as a separate process. These tests run it in their own process and observe its streams.
describe('the command', () => {
  const written: string[] = []
  const errors: string[] = []
  const { argv, exitCode } = process
  const listeners = { stdout: process.stdout.listeners('error'), stderr: process.stderr.listeners('error') }

  beforeEach(() => {
    vi.resetModules()
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0)
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => errors.push(String(text)) > 0)
    vi.spyOn(process, 'exit').mockImplementation((code) => {
      throw new Error(`exit ${code}`)
    })
  })
  afterEach(() => {
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
    process.argv = argv
    process.exitCode = exitCode
    process.removeAllListeners('SIGINT')
    for (const name of ['stdout', 'stderr'] as const) {
      process[name].removeAllListeners('error')
      for (const listener of listeners[name]) process[name].on('error', (error) => listener(error))
    }
    written.length = 0
    errors.length = 0
  })

  async function start(...args: readonly string[]): Promise<number | string | undefined> {
    process.argv = ['node', 'agentfold', ...args]
    await import('../../src/cli/main.ts')
    return process.exitCode
  }

  const isTTY = (value: boolean) => vi.spyOn(process.stdout, 'isTTY', 'get').mockReturnValue(value)

  it('prints the result and sets the exit code', async () => {
    expect(await start('replay', 'fixtures/claude-code/01-plain-text/stream.ndjson')).toBe(0)
    expect(written.join('')).toContain('no issues')
    expect(errors).toEqual([])
  })

  it('prints an error for wrong usage', async () => {
    expect(await start('brew')).toBe(2)
    expect(errors.join('')).toContain('brew')
  })

  it.each([
    ['colours on a terminal', '', true],
    ['no colours with NO_COLOR', '1', false],
  ])('prints %s', async (_, noColour, isStyled) => {
    Object.defineProperty(process.stdout, 'isTTY', { configurable: true, get: () => false })
    isTTY(true)
    vi.stubEnv('NO_COLOR', noColour)
    await start('replay', 'fixtures/claude-code/01-plain-text/stream.ndjson')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes contain them
    expect(/\u001b\[/.test(written.join(''))).toBe(isStyled)
  })

  it('keeps the exit code if the reader closes the pipe, and prints an error if it cannot write', async () => {
    await start('brew')
    const broken = (code: string) => Object.assign(new Error('broken'), { code })
    expect(() => process.stdout.emit('error', broken('EPIPE'))).toThrow('exit 2')
    process.exitCode = undefined
    expect(() => process.stdout.emit('error', broken('EPIPE'))).toThrow('exit 0')
    expect(() => process.stdout.emit('error', broken('ENOSPC'))).toThrow('exit 1')
    expect(errors.at(-1)).toBe('agentfold: cannot write: broken\n')
    expect(process.stderr.emit('error', broken('EPIPE'))).toBe(true)
  })
})
