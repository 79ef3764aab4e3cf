import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Listing } from '../../src/page/list/listing.ts'

/** Answers the next requests with these lines. An error breaks the connection after the first ones. */
function serve(lines: readonly object[], error?: Error): void {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const line of lines) controller.enqueue(new TextEncoder().encode(`${JSON.stringify(line)}\n`))
      if (error) setTimeout(() => controller.error(error), 1)
      else controller.close()
    },
  })
  vi.stubGlobal('fetch', async () => new Response(body))
}

describe('the search in the texts of all sessions', () => {
  const FOUND = [{ id: 'a', context: ['', 'tea', ''] }]
  const listing = new Listing()
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  // A timer of the last line showed the search as going on, for ever.
  it('is over when the answer has ended', async () => {
    serve(FOUND)
    await listing.search('tea')
    await vi.runAllTimersAsync()
    expect(listing.getState().search).toEqual({ text: 'tea', found: FOUND, isOver: true })
  })

  // It said that no further session has the text.
  it.each([[[]], [FOUND]])('fails where the answer breaks off: %j', async (lines) => {
    serve(lines, new Error('the connection breaks'))
    const search = listing.search('tea')
    await vi.runAllTimersAsync()
    await search
    expect(listing.getState().phase).toBe('failed')
  })
})
