import { join } from 'node:path'
import { build } from 'esbuild'

// Two folders up from this file, and also from the bundled server of `npm run app`.
const ROOT = join(import.meta.dirname, '../..')
const PAGE = join(ROOT, 'examples/app/page')

/** Bundles the page in memory. Returns its files by their URL paths. */
export async function bundlePage(): Promise<ReadonlyMap<string, Uint8Array>> {
  const { outputFiles } = await build({
    entryPoints: [join(PAGE, 'page.tsx'), join(PAGE, 'page.css'), join(PAGE, 'index.html')],
    bundle: true,
    write: false,
    outdir: PAGE,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    loader: { '.html': 'copy' },
    define: { 'process.env.NODE_ENV': '"production"' },
    alias: {
      agentfold: join(ROOT, 'src/index.ts'),
      'agentfold/sync': join(ROOT, 'src/sync/index.ts'),
      'agentfold/react': join(ROOT, 'src/react/index.ts'),
      // In this build of React, <Profiler> reports renders, so that a test can count them.
      'react-dom/client': 'react-dom/profiling',
    },
    logLevel: 'silent',
  })
  return new Map(outputFiles.map(({ path, contents }) => [path.slice(PAGE.length), contents]))
}
