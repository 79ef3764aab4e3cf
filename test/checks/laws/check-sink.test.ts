import { describe, expect, it } from 'vitest'
import type { SessionConversationState, SessionEvent } from '../../../src/entries/index.ts'
import type { Sink } from '../../../src/entries/source-kit.ts'
import { checkSink, LawError } from '../../../src/entries/testing.ts'

/** A tool that reads the numbers of new blocks, and adds them up. */
const counter: Sink<number, number> = {
  initial: 0,
  translate: (known, { blocks }) => ({
    memory: blocks.length,
    out: blocks.length === known ? [] : [blocks.length - known],
  }),
  end: () => ({ out: [0] }),
}

const events: readonly SessionEvent[] = Array.from({ length: 100 }, (_, at) => ({
  type: 'block:upsert',
  block: { id: `${at}`, type: 'assistant_text', status: 'complete', content: `${at}` },
}))

const reader = {
  read: (out: readonly number[]) => out.reduce((sum, each) => sum + each, 0),
  expected: ({ blocks }: SessionConversationState) => blocks.length,
}

describe('checkSink', () => {
  it('accepts a sink whose output leads to the result for the whole state', async () => {
    await checkSink(counter, events, reader)
    await checkSink(counter, [], reader)
    await checkSink(counter, events, { ...reader, read: async (out) => reader.read(out), places: 50 })
  })

  it('compares by content without undefined, or with the function of the caller', async () => {
    const asObject = (count: number) => ({ count, unknown: undefined })
    await checkSink(counter, events, {
      read: (out) => asObject(reader.read(out)),
      expected: (state) => ({ count: state.blocks.length }),
    })
    await checkSink(counter, events, { ...reader, expected: () => -1, isSame: () => true })
  })

  const faults: Readonly<Partial<Record<LawError['code'], Readonly<Record<string, Sink<number, number>>>>>> =
    {
      throws: {
        throws: {
          ...counter,
          translate: () => {
            throw new Error('no')
          },
        },
        'throws for an early `end`': {
          ...counter,
          end: (memory) => {
            if (memory === 0) throw new Error('too early')
            return { out: [] }
          },
        },
        'changes a state': {
          ...counter,
          translate: (known, state) => {
            Object.assign(state, { seen: true })
            return counter.translate(known, state)
          },
        },
      },
      repeats: {
        'repeats its output': { ...counter, translate: (memory) => ({ memory, out: [1] }) },
      },
      'not-repeatable': {
        'returns other output each time': countingCalls(),
        'returns another end each time': { ...counter, end: countingCalls().end },
      },
      'reader-differs': {
        'counts batches': {
          ...counter,
          translate: (known, { blocks }) => ({
            memory: blocks.length,
            out: blocks.length > known ? [1] : [],
          }),
        },
        'ends with more': { ...counter, end: () => ({ out: [1] }) },
      },
    }

  it.each(
    Object.entries(faults).flatMap(([code, sinks]) =>
      Object.entries(sinks).map(([name, sink]) => [name, code, sink] as const),
    ),
  )('reports a sink that %s: %s', async (_, code, sink) => {
    await expect(checkSink(sink, events, reader)).rejects.toThrow(
      expect.objectContaining({ name: 'LawError', code }),
    )
  })

  it('reports output that the reader refuses, with the index of the event', async () => {
    const read = (out: readonly number[]) => {
      if (reader.read(out) > 0) throw new Error('too many')
      return 0
    }
    const error = await checkSink(counter, events, { ...reader, read }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(LawError)
    expect(error).toMatchObject({ code: 'reader-throws', cause: new Error('too many'), index: 25 })
  })
})

function countingCalls(): Sink<number, number> {
  let calls = 0
  const next = (): number => {
    calls += 1
    return calls
  }
  return { ...counter, translate: (memory) => ({ memory, out: [next()] }), end: () => ({ out: [next()] }) }
}
