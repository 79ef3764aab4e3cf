import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { afterAll } from 'vitest'

/** One version of React, and the hooks as they are with it. */
export interface Library {
  readonly React: typeof import('react')
  readonly client: typeof import('react-dom/client')
  readonly server: typeof import('react-dom/server')
  readonly hooks: typeof import('../../src/react/index.ts')
}

const root = join(import.meta.dirname, '../..')
const require = createRequire(import.meta.url)
const PACKAGES = { 18: ['react-18', 'react-dom-18'], 19: ['react', 'react-dom'] } as const

/** Bundles the hooks with a version of React, which is a copy of its own. */
export function withReact(version: 18 | 19): Library {
  const folder = mkdtempSync(join(root, 'node_modules', '.react-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const [react, reactDom] = PACKAGES[version]
  const outfile = join(folder, 'library.cjs')
  buildSync({
    stdin: {
      contents: `
        export * as React from 'react'
        export * as client from 'react-dom/client'
        export * as server from 'react-dom/server'
        export * as hooks from './src/react/index.ts'`,
      resolveDir: root,
    },
    alias: { react, 'react-dom': reactDom },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile,
    define: { 'process.env.NODE_ENV': '"development"' },
  })
  return require(outfile)
}
