// The page loads the elements with <script type="module" src="/postal-places.js">.
// React keeps `key` for itself, so the key is in `api-key`.
import { useState } from 'react';
import { createRoot } from 'react-dom/client';

function OrderForm() {
  const [place, setPlace] = useState(null);
  const [isSent, setIsSent] = useState(false);

  async function send(event) {
    event.preventDefault();
    const order = { ...Object.fromEntries(new FormData(event.currentTarget)), placeId: place?.id ?? null };
    await fetch('/orders', { method: 'POST', body: JSON.stringify(order) });
    setIsSent(true);
  }

  return (
    <form onSubmit={send}>
      <label>
        Name <input name="name" autoComplete="name" required />
      </label>
      <postal-address-form
        api-key="pp_pub_YOUR_KEY"
        api="https://api.example"
        country="DE"
        onchange={(event) => setPlace(event.detail.place)}
      />
      <button type="submit">Order</button>
      <output>{isSent ? 'Thank you' : ''}</output>
    </form>
  );
}

createRoot(document.querySelector('#app')).render(<OrderForm />);
