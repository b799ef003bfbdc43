"""What a schema may cost a validator: its ways are counted in linear time, and bounded."""
