"""The parts on the table: the only package that imports gpiozero and picamera2."""
