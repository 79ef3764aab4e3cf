import { afterEach, beforeEach, vi } from 'vitest'

// A library that writes to its user's console has a bug: a call fails the test that made it.
beforeEach(() => {
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const)
    vi.spyOn(console, method).mockImplementation((...said) => {
      throw new Error(`console.${method}: ${said.join(' ')}`)
    })
})
afterEach(() => {
  vi.restoreAllMocks()
})
