import { build } from 'esbuild'
import { expect, it } from 'vitest'

// A worker of an edge runtime bundled `os`, `crypto` and `process` with a log in memory.
it.each(['log', 'hub', 'sync'])('agentfold/%s runs on web standards alone', async (entry) => {
  const { metafile } = await build({
    entryPoints: [`src/entries/${entry}.ts`],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    outdir: 'unused',
    splitting: true,
    metafile: true,
    logLevel: 'silent',
  })
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports.map(({ path }) => path))
  expect(imports.filter((path) => path.startsWith('node:'))).toEqual([])
})
