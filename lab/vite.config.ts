import { defineConfig } from "vite";

// relative addresses: the folder works wherever it is put
export default defineConfig({
  base: "./",
  worker: { format: "es" },
  build: { target: "es2022", chunkSizeWarningLimit: 1200 },
});
