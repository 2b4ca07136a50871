import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  // Relative addresses, so that the same files work below any prefix.
  base: './',
  plugins: [react()],
  build: {
    target: 'baseline-widely-available',
    // The page's content security policy forbids data: addresses in scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
})
