import { describe, expect, it } from 'vitest'
import { agentCall, init, said, text, toText, within } from '../formats/claude/messages.ts'
import { recording } from '../formats/recordings.ts'
import { Emulator } from './emulator.ts'
import { agentfold, type Ran } from './terminal.ts'

interface Shown extends Ran {
  readonly screen: Emulator
  /** What was on the screen after each time that it was written to. */
  readonly frames: readonly (readonly string[])[]
  /** When it was written to, in ms. */
  readonly drawnAt: readonly number[]
}

interface Setup {
  readonly rows?: number
  readonly columns?: number
  readonly isStyled?: boolean
  /** Ms that pass with each chunk. */
  readonly pace?: number
  readonly args?: readonly string[]
}

/** Replays a pipe on a terminal; a clock is moved on with each chunk. */
async function show(chunks: readonly string[], setup: Setup = {}): Promise<Shown> {
  const { rows = 24, columns = 80, isStyled = false, pace = 1000, args = ['replay', '-'] } = setup
  const screen = new Emulator({ rows, columns })
  const frames: (readonly string[])[] = []
  const drawnAt: number[] = []
  let now = 0
  const stdin = (function* () {
    for (const chunk of chunks) {
      now += pace
      yield chunk
    }
  })()
  const ran = await agentfold(args, {
    stdin,
    isStyled,
    screen: {
      write: (text) => {
        screen.write(text)
        frames.push(screen.lines)
        drawnAt.push(now)
      },
      rows,
      now: () => now,
    },
  })
  return { ...ran, screen, frames, drawnAt }
}

const linesOf = (text: string) => text.split(/(?<=\n)/)
const nested = linesOf(recording('06-nested-forward').stream)
const many = linesOf(
  toText([
    init,
    ...Array.from({ length: 40 }, (_, at) => said('m1', agentCall(`t${at}`), { uuid: `u${at}` })),
  ]),
)

describe('a pipe on a terminal', () => {
  it('is shown as it stands after each chunk', async () => {
    const { frames } = await show([
      toText([init, said('m1', text('One.'), { uuid: 'u1' })]),
      toText([said('m2', text('Two.'), { uuid: 'u2' })]),
      toText([said('m3', agentCall('t1'), { uuid: 'u3' })]),
    ])
    expect(frames.slice(0, 3).map((frame) => frame.slice(1))).toEqual([
      [expect.stringMatching(/main · 1 block · 0 tools/), '   “One.”'],
      [expect.stringMatching(/main · 2 blocks · 0 tools/), '   “Two.”'],
      [
        expect.stringMatching(/main · 3 blocks · 0 tools/),
        '│  “Two.”',
        expect.stringMatching(/^└─ running general-purpose · “Look” · 0 blocks/),
      ],
    ])
  })

  it('is drawn in the same place each time, and taken away at the end', async () => {
    const { frames, screen } = await show(nested, { columns: 200 })
    expect(frames.length).toBeGreaterThan(10)
    for (const frame of frames.slice(0, -1)) {
      expect(frame[0]).toMatch(/^claude-code 2\.1\.330/)
      expect(frame.filter((line) => /\bmain ·/.test(line))).toHaveLength(1)
    }
    expect(screen.lines).toEqual([])
    expect(screen.scrolled).toBe(0)
  })

  it('ends with what it prints without a terminal', async () => {
    for (const args of [
      ['replay', '-'],
      ['replay', '-', '--json'],
      ['replay', '-', '--events'],
    ]) {
      const { code, out, err } = await show(nested, { args })
      expect({ code, out, err }).toEqual(await agentfold(args, { stdin: nested }))
    }
  })

  it('leaves the terminal as it was: lines wrap again, and no colour stays', async () => {
    const { screen } = await show(nested, { isStyled: true, columns: 30 })
    expect(screen.isWrapping).toBe(true)
    expect(screen.isColoured).toBe(false)
  })

  it('is drawn in colour where that is welcome, and with the same words', async () => {
    const plain = await show(nested, { columns: 200 })
    const styled = await show(nested, { columns: 200, isStyled: true })
    expect(styled.frames).toEqual(plain.frames)
    expect(styled.screen.hasColoured).toBe(true)
    expect(plain.screen.hasColoured).toBe(false)
  })

  it.each([['--json'], ['--events']])('is not drawn where programs read it: %s', async (output) => {
    const { frames } = await show(nested, { args: ['replay', '-', output] })
    expect(frames).toEqual([])
  })

  it('is not drawn for a file', async () => {
    const { frames, out } = await show([], { args: ['replay', recording('03-tools').sessionPath] })
    expect(frames).toEqual([])
    expect(out).toContain('main ·')
  })
})

describe('what does not fit on the screen', () => {
  it.each([4, 5, 10, 24, 30])('is counted, and never scrolls: %i rows', async (rows) => {
    const { frames, screen } = await show(many, { rows })
    for (const frame of frames) expect(frame.length).toBeLessThan(rows)
    expect(screen.scrolled).toBe(0)
    const last = frames.at(-2) ?? []
    expect(last).toHaveLength(rows - 1)
    // The session, main and forty agents.
    expect(last.at(-1)).toBe(`… ${42 - (rows - 2)} more lines`)
  })

  it('is cut at the right, so that a line stays one line', async () => {
    const { frames, screen } = await show(nested, { columns: 20 })
    expect(frames.flat().every((line) => [...line].length <= 20)).toBe(true)
    expect(screen.scrolled).toBe(0)
    expect(frames.slice(0, -1).every(([first]) => first?.startsWith('claude-code'))).toBe(true)
  })

  it('is shown whole where it fits just so', async () => {
    const { frames } = await show(many, { rows: 43, columns: 200 })
    expect(frames.at(-2)).toHaveLength(42)
    expect(frames.at(-2)?.at(-1)).toMatch(/^└─ running general-purpose/)
  })

  it('draws each size of a terminal as it is then', async () => {
    const screen = new Emulator({ rows: 30, columns: 80 })
    let rows = 30
    let drawn = 0
    let now = 0
    await agentfold(['replay', '-'], {
      stdin: (function* () {
        for (const chunk of many) {
          now += 1000
          yield chunk
        }
      })(),
      screen: {
        write: (text) => {
          screen.write(text)
          rows = drawn > 20 ? 10 : 30
          drawn += 1
          expect(screen.lines.length).toBeLessThan(30)
        },
        get rows() {
          return rows
        },
        now: () => now,
      },
    })
    expect(drawn).toBeGreaterThan(21)
    expect(screen.lines).toEqual([])
  })
})

describe('how often it is drawn', () => {
  it.each([1, 7, 33, 99])('is at most every 100 ms: a chunk each %i ms', async (pace) => {
    const { drawnAt } = await show(linesOf(recording('12-large').stream), { pace })
    // The last time takes it away.
    const gaps = drawnAt.slice(1, -1).map((time, at) => time - (drawnAt[at] ?? 0))
    expect(gaps.length).toBeGreaterThan(0)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(100)
    expect(Math.max(...gaps)).toBeLessThan(100 + pace)
  })

  it('is each time where chunks are far between', async () => {
    const { drawnAt } = await show(nested, { pace: 100 })
    expect(drawnAt.length).toBeGreaterThanOrEqual(nested.length)
  })
})

it('shows no control character of a transcript to the terminal', async () => {
  const evil = '\u001b[2J\u0007\u009b31m\r\nred'
  const { frames, screen } = await show([
    toText([
      { ...init, model: evil },
      said('m1', text(`Said ${evil}`), { uuid: 'u1' }),
      said('m2', agentCall('t1', { description: evil, subagent_type: evil }), { uuid: 'u2' }),
      said('s1', text(evil), { uuid: 'u3', ...within('t1', 'a1') }),
    ]),
  ])
  expect(frames[0]).toHaveLength(5)
  expect(screen.unknown).toEqual([])
})

describe('a terminal that waits', () => {
  const chunks = [toText([init]), toText([said('m1', text('Late.'), { uuid: 'u1' })])]

  it('shows what came too soon after the last drawing, in time', async () => {
    const screen = new Emulator({ rows: 24, columns: 80 })
    let waiting: (() => void) | undefined
    const stdin = (async function* () {
      yield* chunks
      // Nothing comes for long: the second chunk came within the interval, so it is still to be drawn.
      expect(screen.lines.join('\n')).not.toContain('Late.')
      waiting?.()
      expect(screen.lines.join('\n')).toContain('Late.')
    })()
    let now = 0
    await agentfold(['replay', '-'], {
      stdin,
      screen: {
        write: (text) => screen.write(text),
        rows: 24,
        now: () => now,
        setTimer: (work, milliseconds) => {
          waiting = () => {
            now += milliseconds
            work()
          }
          return () => {
            waiting = undefined
          }
        },
      },
    })
    expect(waiting).toBeUndefined()
  })

  it('is left clean where the input turns out to be no transcript', async () => {
    const { screen, code } = await show(['{"tea":1}\n', '{"tea":2}\n'])
    expect(code).toBe(1)
    expect(screen.lines.join('')).toBe('')
  })

  it.each([1, 2, 3])('never scrolls, though it has only %i rows', async (rows) => {
    const { frames } = await show(many.slice(0, 12), { rows })
    expect(Math.max(...frames.slice(0, -1).map((frame) => frame.length))).toBeLessThanOrEqual(rows)
  })
})
