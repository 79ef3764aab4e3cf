import { describe, expect, it } from 'vitest'
import {
  agentCall,
  assistantMessage,
  fromSubagent,
  init,
  modelAnswers,
  modelSays,
  text,
  toText,
  turnResult,
} from '../../wires/claude/messages.ts'
import { recording } from '../../wires/recordings.ts'
import { agentfold, type Ran } from '../terminal.ts'
import { Emulator } from './emulator.ts'

interface Shown extends Ran {
  readonly screen: Emulator
  /** The screen after each write. */
  readonly frames: readonly (readonly string[])[]
  /** The times of the writes, in ms. */
  readonly drawnAt: readonly number[]
}

interface Setup {
  readonly rows?: number
  readonly columns?: number
  readonly isStyled?: boolean
  /** The time between two chunks, in ms. */
  readonly pace?: number
  readonly args?: readonly string[]
}

/** Replays a pipe on a terminal. Its clock advances with each chunk. */
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
      columns,
      now: () => now,
    },
  })
  return { ...ran, screen, frames, drawnAt }
}

const linesOf = (text: string) => text.split(/(?<=\n)/)
const nested = inGroups(linesOf(recording('06-nested-forward').stream), 4)

/** A tree is drawn for each chunk, so the lines come some at a time. */
function inGroups(lines: readonly string[], size: number): readonly string[] {
  return lines.flatMap((_, at) => (at % size === 0 ? lines.slice(at, at + size).join('') : []))
}

const many = linesOf(
  toText([
    init,
    ...Array.from({ length: 40 }, (_, at) => assistantMessage('m1', agentCall(`t${at}`), { uuid: `u${at}` })),
  ]),
)

describe('a pipe on a terminal', () => {
  it('shows the status of the session above the tree', async () => {
    const answer = modelAnswers('m1', 'One.', { uuid: 'u1' })
    const { frames } = await show([toText([init]), toText([answer]), toText([turnResult()])])
    const heads = frames.slice(0, 3).map(([head = '']) => head.split(' · ').at(-1))
    expect(heads).toEqual(['running', 'running', 'done'])
  })

  it('is shown after each chunk', async () => {
    const { frames } = await show([
      toText([init, modelSays('m1', 'One.', { uuid: 'u1' })]),
      toText([modelSays('m2', 'Two.', { uuid: 'u2' })]),
      toText([assistantMessage('m3', agentCall('t1'), { uuid: 'u3' })]),
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

  it('is drawn in the same place each time, and removed at the end', async () => {
    const { frames, screen } = await show(nested, { columns: 200 })
    expect(frames.length).toBeGreaterThan(10)
    for (const frame of frames.slice(0, -1)) {
      expect(frame[0]).toMatch(/^claude-code 2\.1\.330/)
      expect(frame.filter((line) => /\bmain ·/.test(line))).toHaveLength(1)
    }
    expect(screen.lines).toEqual([])
    expect(screen.scrolled).toBe(0)
  })

  it('ends with the same output as without a terminal', async () => {
    for (const args of [
      ['replay', '-'],
      ['replay', '-', '--json'],
      ['replay', '-', '--events'],
    ]) {
      const { code, out, err } = await show(nested, { args })
      expect({ code, out, err }).toEqual(await agentfold(args, { stdin: nested }))
    }
  })

  it('restores the terminal: lines wrap again, and no colour stays', async () => {
    const { screen } = await show(nested, { isStyled: true, columns: 30 })
    expect(screen.isWrapping).toBe(true)
    expect(screen.isColoured).toBe(false)
  })

  it('is drawn with the same words in colour', async () => {
    const plain = await show(nested, { columns: 200 })
    const styled = await show(nested, { columns: 200, isStyled: true })
    expect(styled.frames).toEqual(plain.frames)
    expect(styled.screen.hasColoured).toBe(true)
    expect(plain.screen.hasColoured).toBe(false)
  })

  it.each([['--json'], ['--events']])('is not drawn with %s', async (output) => {
    const { frames } = await show(nested, { args: ['replay', '-', output] })
    expect(frames).toEqual([])
  })

  it('is not drawn for a file', async () => {
    const { frames, out } = await show([], { args: ['replay', recording('03-tools').sessionPath] })
    expect(frames).toEqual([])
    expect(out).toContain('main ·')
  })
})

describe('a tree that does not fit on the screen', () => {
  it.each([4, 5, 10, 24, 30])(
    'ends with a count of the missing lines, and never scrolls: %i rows',
    async (rows) => {
      const { frames, screen } = await show(many, { rows })
      for (const frame of frames) expect(frame.length).toBeLessThan(rows)
      expect(screen.scrolled).toBe(0)
      const last = frames.at(-2) ?? []
      expect(last).toHaveLength(rows - 1)
      // The session, main and forty agents.
      expect(last.at(-1)).toBe(`… ${42 - (rows - 2)} more lines`)
    },
  )

  it('is cut at the right, so that each line takes one row', async () => {
    const { frames, screen } = await show(nested, { columns: 20 })
    expect(frames.flat().every((line) => [...line].length <= 20)).toBe(true)
    expect(screen.scrolled).toBe(0)
    expect(frames.slice(0, -1).every(([first]) => first?.startsWith('claude-code'))).toBe(true)
  })

  // A terminal that cuts a line itself overwrites the last column: "tokens out" became "tokens o0".
  it('says that a line is cut', async () => {
    const wide = await show(nested, { columns: 400 })
    for (const isStyled of [false, true]) {
      const { frames } = await show(nested, { columns: 60, isStyled })
      const expected = wide.frames.map((frame) =>
        frame.map((line) => (line.length > 60 ? `${line.slice(0, 59)}…` : line)),
      )
      expect(frames).toEqual(expected)
    }
  })

  it('leaves nothing behind when the terminal becomes narrower or wider', async () => {
    const screen = new Emulator({ rows: 60, columns: 120 })
    screen.write('$ claude | agentfold replay -\n')
    let columns = 120
    let now = 0
    await agentfold(['replay', '-'], {
      stdin: (function* () {
        for (const [at, chunk] of nested.entries()) {
          now += 1000
          columns = [120, 70, 33, 90][at % 4] ?? 0
          screen.resize(columns)
          yield chunk
        }
      })(),
      screen: {
        write: (text) => {
          screen.write(text)
          const [prompt, ...frame] = screen.lines
          expect(prompt).toBe('$ claude | agentfold replay -')
          expect(frame.filter((line) => line.startsWith('claude-code')).length).toBeLessThanOrEqual(1)
        },
        rows: 60,
        get columns() {
          return columns
        },
        now: () => now,
      },
    })
    expect(screen.lines).toEqual(['$ claude | agentfold replay -'])
  })

  it('is complete if it has one line less than the screen', async () => {
    const { frames } = await show(many, { rows: 43, columns: 200 })
    expect(frames.at(-2)).toHaveLength(42)
    expect(frames.at(-2)?.at(-1)).toMatch(/^└─ running general-purpose/)
  })

  it('follows changes of the terminal’s size', async () => {
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

describe('the tree is drawn', () => {
  it.each([1, 7, 33, 99])('at most every 100 ms: a chunk each %i ms', async (pace) => {
    const { drawnAt } = await show(linesOf(recording('12-large').stream), { pace })
    // The last write removes the tree.
    const gaps = drawnAt.slice(1, -1).map((time, at) => time - (drawnAt[at] ?? 0))
    expect(gaps.length).toBeGreaterThan(0)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(100)
    expect(Math.max(...gaps)).toBeLessThan(100 + pace)
  })

  it('with each chunk if chunks are 100 ms apart', async () => {
    const { drawnAt } = await show(nested, { pace: 100 })
    expect(drawnAt.length).toBeGreaterThanOrEqual(nested.length)
  })
})

it('sends no control characters of a transcript to the terminal', async () => {
  const evil = '\u001b[2J\u0007\u009b31m\r\nred'
  const { frames, screen } = await show([
    toText([
      { ...init, model: evil },
      modelSays('m1', `Said ${evil}`, { uuid: 'u1' }),
      assistantMessage('m2', agentCall('t1', { description: evil, subagent_type: evil }), { uuid: 'u2' }),
      assistantMessage('s1', text(evil), { uuid: 'u3', ...fromSubagent('t1', 'a1') }),
    ]),
  ])
  expect(frames[0]).toHaveLength(5)
  expect(screen.unknown).toEqual([])
})

describe('a terminal between two draws', () => {
  const chunks = [toText([init]), toText([modelSays('m1', 'Late.', { uuid: 'u1' })])]

  it('draws a state that arrived too soon after the last draw, with a timer', async () => {
    const screen = new Emulator({ rows: 24, columns: 80 })
    let runTimer: (() => void) | undefined
    const stdin = (async function* () {
      yield* chunks
      // The second chunk arrived within the interval, and no further chunk follows.
      expect(screen.lines.join('\n')).not.toContain('Late.')
      runTimer?.()
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
          runTimer = () => {
            now += milliseconds
            work()
          }
          return () => {
            runTimer = undefined
          }
        },
      },
    })
    expect(runTimer).toBeUndefined()
  })

  it('is left clean if the input is not a transcript', async () => {
    const { screen, code } = await show(['{"tea":1}\n', '{"tea":2}\n'])
    expect(code).toBe(1)
    expect(screen.lines.join('')).toBe('')
  })

  it.each([1, 2, 3])('never scrolls with only %i rows', async (rows) => {
    const { frames } = await show(many.slice(0, 12), { rows })
    expect(Math.max(...frames.slice(0, -1).map((frame) => frame.length))).toBeLessThanOrEqual(rows)
  })
})
