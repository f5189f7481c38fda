/** A backend with Express that carries reports of people who are logged in: node express_app.mjs */

import express from "express";
import { Gateway } from "untold-client";

const app = express();
const gateway = new Gateway(process.env.COLLECTOR, process.env.GATEWAY_TOKEN);

app.post("/reports", express.text({ type: "application/json", limit: "64kb" }), async (request, response) => {
  const user = request.get("x-user"); // in the place of your log-in
  try {
    const { counted, repeated } = await gateway.forward(request.body, user);
    response.json({ counted, repeated });
  } catch (error) {
    response.status(error.name === "BadRecord" ? 400 : 503).json({ detail: error.message }); // after 503 the device comes again
  }
});

app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => console.log("listening"));
