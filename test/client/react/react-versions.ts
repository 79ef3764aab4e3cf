import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import * as React from 'react'
import * as client from 'react-dom/client'
import * as server from 'react-dom/server'
import { afterAll } from 'vitest'
import * as hooks from '../../../src/entries/react.ts'

/** One version of React, and the hooks with that version. */
export interface Library {
  readonly React: typeof React
  readonly client: typeof client
  readonly server: typeof server
  readonly hooks: typeof hooks
}

const root = join(import.meta.dirname, '../../..')
const require = createRequire(import.meta.url)

/** Returns the installed React with the hooks, or React 18 in a bundle with a copy of the hooks. */
export function withReact(version: 18 | 19): Library {
  return version === 19 ? { React, client, server, hooks } : bundledWithReact18()
}

function bundledWithReact18(): Library {
  const folder = mkdtempSync(join(root, 'node_modules', '.react-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const outfile = join(folder, 'library.cjs')
  buildSync({
    stdin: {
      contents: `
        export * as React from 'react'
        export * as client from 'react-dom/client'
        export * as server from 'react-dom/server'
        export * as hooks from './src/entries/react.ts'`,
      resolveDir: root,
    },
    alias: { react: 'react-18', 'react-dom': 'react-dom-18' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile,
    define: { 'process.env.NODE_ENV': '"development"' },
  })
  return require(outfile)
}
