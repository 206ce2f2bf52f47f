import { render } from "preact";
import { useState } from "preact/hooks";
import { Import } from "./import.js";
import { NewProduct } from "./new-product.js";
import { Products } from "./products.js";

function Page() {
  // Counts what this page has written, so that the list is read again.
  const [written, setWritten] = useState(0);
  const again = () => setWritten((n) => n + 1);
  return (
    <>
      <h1>Shop</h1>
      <Products written={written} />
      <NewProduct done={again} />
      <Import />
    </>
  );
}

render(<Page />, document.getElementById("page")!);
