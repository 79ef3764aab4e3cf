import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { assistantMessage, text, toText, userMessage } from '../../wires/claude/messages.ts'
import { folder as recordingsFolder } from '../../wires/recordings.ts'
import { temporaryFolder } from '../temporary.ts'
import { agentfold } from '../terminal.ts'
import { Emulator } from './emulator.ts'

const LONG = 4_000_000
const LINE = 1000

/** A stream of that many bytes. Each line is the text of a separate message. */
function streamOf(bytes: number): string {
  const lines = Array.from({ length: Math.floor(bytes / LINE) }, (_, at) => lineOf(at, LINE))
  return lines.join('') + (bytes % LINE === 0 ? '' : ' '.repeat(bytes % LINE))
}

function lineOf(at: number, bytes: number): string {
  const line = (content: string) => toText([assistantMessage(`m${at}`, text(content), { uuid: `u${at}` })])
  return line('x'.repeat(bytes - line('').length))
}

const { inFolder, file } = temporaryFolder()
let long = ''
beforeAll(async () => {
  long = await file('long.ndjson', streamOf(LONG))
})

const onTerminal = { showsProgress: true }

/** The reported parts, in percent. */
const partsIn = (err: string) => [...err.matchAll(/: (\d+) % read/g)].map(([, part]) => Number(part))

/** Returns the lines that stay on a terminal. */
function visibleLines(err: string): readonly string[] {
  const screen = new Emulator({ rows: 24, columns: 200 })
  screen.write(err)
  expect(screen.unknown).toEqual([])
  return screen.lines
}

describe('a long file', () => {
  it('shows the part that was read, and removes the line at the end', async () => {
    // Each chunk is less than one percent of it.
    const path = await file('longest.ndjson', streamOf(3 * LONG))
    const { code, out, err } = await agentfold(['replay', path], onTerminal)
    expect(code).toBe(0)
    const parts = partsIn(err)
    expect(parts.length).toBeGreaterThan(5)
    expect(parts).toEqual([...new Set(parts)].sort((left, right) => left - right))
    expect(parts.at(-1)).toBe(100)
    expect(err).toContain(`${path}: 50 % read`)
    expect(err).not.toContain('\n')
    expect(visibleLines(err)).toEqual([])
    expect(out).not.toContain('% read')
  })

  it('gives the same output with and without progress', async () => {
    for (const args of [
      ['replay', long],
      ['replay', long, '--json'],
    ]) {
      const { out } = await agentfold(args, onTerminal)
      expect((await agentfold(args)).out).toBe(out)
    }
  })

  it('has at least 4,000,000 bytes', async () => {
    const shorter = await file('shorter.ndjson', streamOf(LONG - 1))
    expect((await agentfold(['replay', shorter], onTerminal)).err).toBe('')
    const longer = await file('longer.ndjson', streamOf(LONG + 1))
    expect(partsIn((await agentfold(['replay', longer], onTerminal)).err).length).toBeGreaterThan(5)
  })

  it('is measured in bytes, also if characters take several', async () => {
    const path = await file(
      'wide.ndjson',
      toText([assistantMessage('m1', text('日'.repeat(LONG / 3)), { uuid: 'u1' })]),
    )
    const parts = partsIn((await agentfold(['replay', path], onTerminal)).err)
    expect(parts.at(-1)).toBe(100)
  })

  it('shows progress for each side of a comparison', async () => {
    const { code, err } = await agentfold(['parity', long, long], onTerminal)
    expect(code).toBe(0)
    expect(partsIn(err).filter((part) => part === 100)).toHaveLength(2)
    expect(visibleLines(err)).toEqual([])
  })

  it('has its progress removed before the error', async () => {
    const path = await file('garbage.ndjson', `${'garbage '.repeat(125)}\n`.repeat(LONG / LINE))
    const { code, err } = await agentfold(['replay', path], onTerminal)
    expect(code).toBe(1)
    expect(partsIn(err).length).toBeGreaterThan(5)
    // The error names the known programs, which takes two lines.
    expect(visibleLines(err).join('')).toMatch(/^agentfold: .*garbage\.ndjson: not a transcript: [^%]*$/)
  })

  it('shows progress if it is one value', async () => {
    const main = streamOf(LONG)
    const path = await file('combined.json', JSON.stringify({ main, subagents: [] }))
    const { code, err } = await agentfold(['replay', path], onTerminal)
    expect(code).toBe(0)
    expect(partsIn(err).length).toBeGreaterThan(5)
    expect(visibleLines(err)).toEqual([])
  })
})

describe('several files', () => {
  it.each([
    [LONG, true],
    [LONG - 1, false],
  ])('show progress from 4,000,000 bytes on: %i', async (bytes, isLong) => {
    const agent = toText([{ ...userMessage('y', { uuid: 'y' }), sessionId: `session-${bytes}` }])
    const path = await file(`session-${bytes}.jsonl`, streamOf(bytes - agent.length))
    await file('agent-a1.jsonl', agent)
    const { code, err } = await agentfold(['replay', path], onTerminal)
    expect(code).toBe(0)
    expect(err !== '').toBe(isLong)
    expect(visibleLines(err)).toEqual([])
    await rm(inFolder('agent-a1.jsonl'))
  })
})

describe('no progress is shown', () => {
  it('for a short file', async () => {
    const path = join(recordingsFolder, '12-large', 'stream.ndjson')
    expect((await agentfold(['replay', path], onTerminal)).err).toBe('')
  })

  it('if the error stream is not a terminal', async () => {
    expect((await agentfold(['replay', long])).err).toBe('')
    expect((await agentfold(['parity', long, long])).err).toBe('')
  })

  it('for a pipe, because its length is unknown', async () => {
    const chunk = streamOf(LONG / 4)
    expect(
      (await agentfold(['replay', '-'], { ...onTerminal, stdin: [chunk, chunk, chunk, chunk] })).err,
    ).toBe('')
  })
})
