import { details, product } from "@shop/catalog";

onmessage = ({ data }: MessageEvent<string[]>) => {
  postMessage(
    data.map((line) => {
      try {
        return details(product.create, JSON.parse(line));
      } catch {
        return [{ path: ".", pointer: "", code: "syntax", message: "is no JSON" }];
      }
    }),
  );
};
