import { afterEach, beforeEach, vi } from 'vitest'

// A library must not write to the console of its user, so a call fails its test.
beforeEach(() => {
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const)
    vi.spyOn(console, method).mockImplementation((...args) => {
      throw new Error(`console.${method}: ${args.join(' ')}`)
    })
})
afterEach(() => {
  vi.restoreAllMocks()
})
